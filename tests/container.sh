#!/bin/bash
# container: builds the container of images/Containerfile from a release, boots the image in it, and checks the run.
#
# usage: container.sh RELEASE, a folder as `make dist` lays it out; `make container` runs it. It needs buildah, and mmdebstrap:
# the base image is made here, since not every machine reaches a registry of containers. As root; packages come from Debian.
set -euo pipefail
export STORAGE_DRIVER=vfs BUILDAH_ISOLATION=chroot

release=$1
base=$(sed -n 's/^FROM //p' "$release/Containerfile")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
storage() { buildah --root "$work/storage" --runroot "$work/run" "$@"; }

suite=${base##*:}
[ "${suite%-slim}" = 12 ] || { echo "container: $base is not Debian 12, which this makes" >&2; exit 1; }
mmdebstrap --quiet --variant=minbase --aptopt='Acquire::Check-Valid-Until "false"' bookworm "$work/base.tar"
scratch=$(storage from scratch)
storage add "$scratch" "$work/base.tar" /
storage commit --quiet "$scratch" "$base" >/dev/null
storage bud --quiet --pull-never --network host -t mlpboot "$release"
mkdir "$work/job"
printf 'experiments = mlp\npages = 2m\nmlp.loads = 1-3\nmlp.fillers = 0 64\n' >"$work/job/ci.cfg"
job=$(storage from --pull-never mlpboot)
inside() { storage run -v "$work/job:/work" -e CONFIG=ci.cfg -e ACCEL=tcg "$job" -- "$@"; }
inside bash /opt/mlpboot/run.sh
inside python3 /opt/mlpboot/mlpboot.pyz check results/latest
