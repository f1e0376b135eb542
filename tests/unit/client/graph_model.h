/*
 * Random graphs and a model of them without counters or arrays, for the tests of graphs of tasks
 * and of graphs of jobs. When a node runs, all its predecessors must be complete, and each node
 * runs exactly once. After a failure only nodes that could run already may still run.
 *
 * The file that includes this header includes the fixture of its graphs first. It defines
 * NODES_MAX, model_ctx (the type of a context of the fixture) and model_ctx_of(), struct
 * model_objects (what it has for each instance), and the functions that are declared below. Include
 * the header in one file of a test.
 */
#ifndef TESTS_UNIT_CLIENT_GRAPH_MODEL_H
#define TESTS_UNIT_CLIENT_GRAPH_MODEL_H

#define DEPTH_MAX 3

#ifdef DOCO_SANITIZED
#define N_SHAPES 60
#else
#define N_SHAPES 400
#endif

/* A graph. Sets of nodes are bit masks. */
struct model {
	struct doca_graph *graph;
	uint32_t n, all;
	enum graph_kind kinds[NODES_MAX];
	model_ctx ctxs[NODES_MAX];
	struct doca_graph_node *nodes[NODES_MAX];
	uint32_t before[NODES_MAX];
	struct model *subs[NODES_MAX];
};

/* An instance of a graph. */
struct run {
	struct model *model;
	struct doca_graph_instance *instance;
	struct run *parent;
	uint32_t parent_node;
	struct run *subs[NODES_MAX];
	struct cookie {
		struct run *run;
		uint32_t node;
	} cookies[NODES_MAX];
	uint32_t started, done;
	uint32_t failing; /* nodes that are to fail */
	bool failed;
	uint32_t could_run; /* at the time of the failure */
	struct model_objects objects;
};

/* Create a graph, and start or end it. */
static void model_graph_new(struct model *m);
static void model_graph_start(struct model *m);
static void model_graph_delete(struct model *m);
/* Creates node i, of the model's kind and context; a sub-graph exists already. */
static struct doca_graph_node *model_node_new(struct model *m, uint32_t i);
/* Creates an instance, and sets the data of its node i; the instance of a sub-graph exists. */
static void run_instance_new(struct run *run);
static void run_set_node(struct run *run, uint32_t i);
/* Destroys the instance, but not those of sub-graphs. */
static void run_instance_delete(struct run *run);
/* Clears the results of the last submission. */
static void run_clear_results(struct run *run);

static uint64_t seed;

static uint32_t random_below(uint32_t n)
{
	return (uint32_t)(unit_random(&seed) >> 33) % n;
}

/* Nodes that may run, or have run. */
static uint32_t ready(struct run *run)
{
	uint32_t nodes = 0;

	for (uint32_t i = 0; i < run->model->n; i++) {
		struct run *sub = run->subs[i];

		if (sub == NULL)
			continue;
		ready(sub);
		if (sub->done == sub->model->all)
			run->done |= 1u << i;
	}
	for (uint32_t i = 0; i < run->model->n; i++)
		nodes |= (run->model->before[i] & ~run->done) == 0 ? 1u << i : 0;
	return nodes;
}

/* An assertion of Check makes a system call, and this is executed a million times. */
#define must(what) ((what) ? (void)0 : ck_abort_msg("%s", #what))

static doca_error_t node_runs(struct run *run, uint32_t node)
{
	uint32_t bit = 1u << node;

	must(ready(run) & bit);
	for (struct run *r = run; r->parent != NULL; r = r->parent)
		must(ready(r->parent) >> r->parent_node & 1);
	must((run->started & bit) == 0);
	must(!run->failed || run->could_run & bit);
	/* A user node does not start even if it is queued already. */
	must(!run->failed || run->model->kinds[node] != GRAPH_USER);
	run->started |= bit;
	if (run->failing & bit) {
		if (!run->failed)
			run->could_run = ready(run);
		run->failed = true;
		return DOCA_ERROR_IO_FAILED;
	}
	run->done |= bit;
	return DOCA_SUCCESS;
}

/* Runs the node of a cookie. */
static doca_error_t cookie_runs(void *cookie)
{
	const struct cookie *c = cookie;

	return node_runs(c->run, c->node);
}

static struct model *model_new(uint32_t depth)
{
	struct model *m = calloc(1, sizeof(*m));
	uint32_t places[NODES_MAX];

	m->n = 1 + random_below(depth == 0 ? NODES_MAX : 8);
	m->all = (1u << m->n) - 1;
	model_graph_new(m);
	for (uint32_t i = 0; i < m->n; i++) {
		uint32_t kind = i == 0 ? 0 : random_below(10);

		m->kinds[i] = kind < 6                 ? GRAPH_CTX
			      : kind < 9 || depth == 0 ? GRAPH_USER
						       : GRAPH_SUB;
		if (i == 1 && depth > 0)
			m->kinds[i] = GRAPH_SUB;
		m->ctxs[i] = model_ctx_of(random_below(2));
		if (m->kinds[i] == GRAPH_SUB)
			m->subs[i] = model_new(depth - 1);
		m->nodes[i] = model_node_new(m, i);
		places[i] = i;
	}
	/* Dependencies go from left to right in a random order that is independent of creation. */
	for (uint32_t i = m->n - 1; i > 0; i--) {
		uint32_t k = random_below(i + 1), place = places[i];

		places[i] = places[k];
		places[k] = place;
	}
	for (uint32_t n = random_below(2 * m->n + 1); n > 0 && m->n > 1; n--) {
		uint32_t right = 1 + random_below(m->n - 1), left = random_below(right);

		m->before[places[right]] |= 1u << places[left];
		ck_ok(doca_graph_add_dependency(m->graph, m->nodes[places[left]],
						m->nodes[places[right]]));
		/* The reverse would close a cycle. */
		ck_fails(doca_graph_add_dependency(m->graph, m->nodes[places[right]],
						   m->nodes[places[left]]),
			 DOCA_ERROR_NOT_PERMITTED);
	}
	model_graph_start(m);
	return m;
}

static void model_delete(struct model *m)
{
	model_graph_delete(m);
	for (uint32_t i = 0; i < m->n; i++) {
		if (m->subs[i] != NULL)
			model_delete(m->subs[i]);
	}
	free(m);
}

static struct run *run_new(struct model *m, struct run *parent, uint32_t parent_node)
{
	struct run *run = calloc(1, sizeof(*run));

	run->model = m;
	run->parent = parent;
	run->parent_node = parent_node;
	run_instance_new(run);
	for (uint32_t i = 0; i < m->n; i++) {
		run->cookies[i] = (struct cookie){run, i};
		if (m->kinds[i] == GRAPH_SUB)
			run->subs[i] = run_new(m->subs[i], run, i);
		run_set_node(run, i);
	}
	return run;
}

static void run_delete(struct run *run)
{
	run_instance_delete(run);
	for (uint32_t i = 0; i < run->model->n; i++) {
		if (run->subs[i] != NULL)
			run_delete(run->subs[i]);
	}
	free(run);
}

/* Prepares the next submission. fails: one of all nodes fails, or none. */
static void run_reset(struct run *run, bool fails)
{
	run->started = run->done = run->failing = run->could_run = 0;
	run->failed = false;
	run_clear_results(run);
	if (fails) {
		uint32_t i = random_below(run->model->n);

		if (run->subs[i] == NULL)
			run->failing = 1u << i;
		if (random_below(4) == 0)
			run->failing |= unit_random(&seed) & run->model->all;
	}
	for (uint32_t i = 0; i < run->model->n; i++) {
		if (run->subs[i] != NULL)
			run_reset(run->subs[i], fails && random_below(2));
	}
}

static bool any_failed(const struct run *run)
{
	bool failed = run->failed;

	for (uint32_t i = 0; i < run->model->n; i++)
		failed |= run->subs[i] != NULL && any_failed(run->subs[i]);
	return failed;
}

#endif
