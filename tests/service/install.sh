#!/usr/bin/env bash
# Installs a build for tests of the service (sourced): under /usr/local, independent of its prefix.
#
#   service_install BUILD-DIR SCRATCH ROOT      makes SCRATCH; ROOT becomes or covers /

service_install() {
	local build=$1 stage=$2 root=$3 prefix sysconfdir file

	prefix=$(sed -n 's/^prefix = //p' "$build/Makefile")
	sysconfdir=$(env -u MAKEFLAGS -u MFLAGS make -s --no-print-directory -C "$build" print-sysconfdir | tail -n 1)
	mkdir -p "$stage"
	env -u MAKEFLAGS -u MFLAGS make -C "$build" DESTDIR="$stage" dbuspolicydir=/etc/dbus-1/system.d \
		install-sbinPROGRAMS install-binPROGRAMS \
		install-libLTLIBRARIES install-systemdsystemunitDATA install-dist_sysusersDATA \
		install-dist_tmpfilesDATA install-dist_confDATA install-dist_dbuspolicyDATA \
		>"$stage/install.log" 2>&1 || { tail -n 20 "$stage/install.log"; return 1; }
	for file in "$stage$prefix"/lib/systemd/system/*; do
		sed -i -e "s,$sysconfdir,/usr/local/etc,g" -e "s,$prefix/,/usr/local/,g" "$file"
	done
	mkdir -p "$root/usr/local/etc/dococored" "$root/usr/local/lib/doco-test" \
		"$root/etc/sysusers.d" "$root/etc/dbus-1/system.d" &&
		cp -a "$stage$prefix/." "$root/usr/local/" &&
		cp "$stage/etc/dbus-1/system.d/org.dococore.conf" "$root/etc/dbus-1/system.d/" &&
		cp "$stage$sysconfdir"/dococored/* "$root/usr/local/etc/dococored/" || return 1
	for file in dma_host dma_dpu; do
		if [[ -e $build/examples/.libs/$file ]]; then
			cp "$build/examples/.libs/$file" "$root/usr/local/lib/doco-test/"
		else
			cp "$build/examples/$file" "$root/usr/local/lib/doco-test/"
		fi
	done
	# A user in the group, and a user outside of it.
	cat >"$root/etc/sysusers.d/doco-test.conf" <<-EOT
		u alice -
		u mallory -
		g doca -
		m alice doca
	EOT
}
