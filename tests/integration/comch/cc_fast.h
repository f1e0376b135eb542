/*
 * One message in each direction over the data path, by producers and consumers of 2.5, 2.6 and 3.3:
 * functions for lab_fork(). The service signals when it listens. Creates no threads.
 */
#ifndef TESTS_INTEGRATION_COMCH_CC_FAST_H
#define TESTS_INTEGRATION_COMCH_CC_FAST_H

#define CC_FAST_NAME  "cc fast"
#define CC_FAST_LEN   5000u /* bytes, filled with use_fill of seed 1 */
#define CC_FAST_BRIEF 20u   /* consumers of the client that stop right after their start */
#define CC_FAST_ID    2u    /* of the sending producer: each end created another one before */

void cc_fast_serve_2_5(int sock, void *arg);
void cc_fast_ask_2_5(int sock, void *arg);
void cc_fast_serve_2_6(int sock, void *arg);
void cc_fast_ask_2_6(int sock, void *arg);

#endif
