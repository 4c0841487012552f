#!/usr/bin/env bash
# Tests of runs/setup and runs/in-env: no network, no debootstrap, a few seconds. They work on a copy of the scripts
# and a set-up directory of their own, on the machine as well as inside the tree. Machines that lack something are
# played with programs of the same name, put first in PATH, and with mounts that only the test sees.
# Usage: bash tests/cli/setup.sh
# shellcheck disable=SC2016  # many a $ is for the shell that is started, not for this one
set -uo pipefail

source_dir=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd -P)
tmp=$(mktemp -d /tmp/scree-setup-test.XXXXXX)
trap 'rm -rf --one-file-system "$tmp"' EXIT
chmod 755 "$tmp"
clone=$tmp/clone
mkdir "$clone" "$tmp/fake" "$tmp/home"
cp -r "$source_dir/runs" "$source_dir/cmake" "$clone"
chmod -R a+rX "$clone"

# As on a machine that knows nothing of Scree, even if these tests run inside the tree or a batch job.
for name in $(compgen -e); do
  case $name in SCREE_* | OMPI_* | PRTE_* | PMIX_* | SLURM_* | PBS_* | LSB_* | PE_HOSTFILE | CC | LD_PRELOAD) unset "$name" ;; esac
done
export SCREE_ENV=$tmp/env HOME=$tmp/home PATH=$tmp/fake:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
setup=$clone/runs/setup in_env=$clone/runs/in-env

passed=0 failed=0
# report NAME DETAIL…: the status of the last command decides.
report() {
  local status=$?
  if ((status == 0)); then
    passed=$((passed + 1))
    echo "ok - $1"
  else
    failed=$((failed + 1))
    echo "not ok - $1"
    shift
    printf '#   %s\n' "${@//$'\n'/$'\n#   '}"
  fi
}
skip() { echo "skip - $*"; }
equal() { [[ $2 == "$3" ]]; report "$1" "expected: $2" "got:      $3"; }

# expect NAME STATUS PATTERN COMMAND…: exit status, and a glob that the output (both streams) must contain.
expect() {
  local name=$1 want=$2 pattern=$3 output status=0
  shift 3
  output=$("$@" 2>&1 </dev/null) || status=$?
  # shellcheck disable=SC2053  # the pattern is one
  [[ $status == "$want" && $output == *$pattern* ]]
  report "$name" "expected: exit $want, $pattern" "got:      exit $status, $output"
}

# fake NAME <<SCRIPT: a program that is found before the machine's own.
fake() { { echo '#!/bin/bash'; cat; } >"$tmp/fake/$1"; chmod 755 "$tmp/fake/$1"; }
fresh() { rm -rf "$SCREE_ENV" "$tmp"/fake/* "$tmp"/*.calls; }
functions() { bash -c 'script=$1; shift; source "$script"; "$@"' x "$setup" "$@"; }

machine_has_all() { fake cmake <<<"echo >>$tmp/cmake.calls"; fake ninja <<<:; }
machine_lacks() { fake ninja <<<:; fake cmake <<<"echo 'CMake Error: Not found: $1.' >&2; exit 1"; }
suites_lack() { fake apt-get <<<"echo E: Unable to locate package; exit 100"; }

is_root() { ((EUID == 0)); }
can_mount() { is_root && unshare --mount --pid --fork --mount-proc true 2>/dev/null; }
as_nobody() { setpriv --reuid 65534 --regid 65534 --clear-groups -- "$@"; }

# on_machine OS_RELEASE SOURCES COMMAND…: with this /etc/os-release and this sources.list, and no network.
on_machine() {
  printf '%b' "$1" >"$tmp/os-release"
  printf '%b' "$2" >"$tmp/sources.list"
  shift 2
  unshare --mount --net bash -c 'mount --bind "$0/os-release" /etc/os-release && mkdir -p "$0/apt" &&
    mount --bind "$0/apt" /etc/apt && cp "$0/sources.list" /etc/apt/ && exec "$@"' "$tmp" "$@"
}
debian='ID=debian\nVERSION_ID=12\n'

# --- arguments -------------------------------------------------------------------------------------------------

test_arguments() {
  fresh
  expect 'setup --help' 0 'usage: runs/setup' "$setup" --help
  expect 'setup: unknown argument' 2 'unknown argument: --frobnicate' "$setup" --frobnicate
  expect 'setup: too many arguments' 2 'unknown argument' "$setup" --remake --remake
  expect 'in-env without arguments' 2 'usage: runs/in-env' "$in_env"
  expect 'in-env --help' 0 'usage: runs/in-env' "$in_env" --help
  expect 'in-env before set-up' 2 'run runs/setup first' "$in_env" true
  expect 'setup: a path with a space' 2 'contains a space' env SCREE_ENV="$tmp/a b" "$setup"
  expect 'setup: no HOME' 2 'HOME is not set' env -u HOME -u SCREE_ENV -u XDG_CACHE_HOME "$setup"
  [[ ! -e $SCREE_ENV ]]
  report 'none of these writes anything' "$SCREE_ENV exists"
}

# --- which mirror ----------------------------------------------------------------------------------------------

candidates() { functions mirror_candidates "$tmp/root" | tr '\n' ' '; }

test_mirrors() {
  local apt=$tmp/root/etc/apt
  mkdir -p "$apt/sources.list.d"
  cat >"$apt/sources.list" <<'END'
# deb http://commented.example/debian bookworm main
deb-src http://source.example/debian bookworm main
deb [arch=amd64 signed-by=/usr/share/keyrings/x.gpg] http://options.example/debian/ bookworm main contrib # note
deb	http://tabs.example/debian	trixie-updates	contrib main
deb cdrom:[Debian GNU/Linux 12]/ bookworm main
deb http://security.example/debian-security bookworm-security main
deb http://old-security.example/ bullseye/updates main
deb http://options.example/debian bookworm-updates main
deb https://third.example/apt nodistro main
deb https://flat.example/repo ./
deb https://contrib.example/debian bookworm contrib
END
  equal 'mirrors: one-line format' 'http://options.example/debian http://tabs.example/debian ' "$(candidates)"
  : >"$apt/sources.list"
  printf 'deb http://ignored.example/debian bookworm main\n' >"$apt/sources.list.d/x.list.disabled"
  cat >"$apt/sources.list.d/debian.sources" <<'END'
# a comment of its own

Types: deb deb-src
# a comment within
URIs: http://one.example/debian
  https://two.example/debian/
Suites: bookworm
 bookworm-updates
Components: main non-free
Signed-By:
 -----BEGIN PGP PUBLIC KEY BLOCK-----
 .
 -----END PGP PUBLIC KEY BLOCK-----

enabled: no
types: deb
uris: http://disabled.example/debian
suites: bookworm
components: main
   
Types: deb-src
URIs: http://source.example/debian
Suites: bookworm
Components: main

Types: deb
URIs: http://security.example/debian-security
Suites: bookworm-security
Components: main

Enabled: yes
Types: deb
URIs: http://three.example/debian
Suites: stable
Components: main
END
  equal 'mirrors: deb822 format' 'http://one.example/debian https://two.example/debian http://three.example/debian ' \
    "$(candidates)"
  printf 'http://cloud.example/debian\tpriority:1\n# no\nhttp://other.example/debian/\n' >"$apt/list"
  printf 'Types: deb\nURIs: mirror+file:/etc/apt/list\nSuites: trixie\nComponents: main\n' \
    >"$apt/sources.list.d/debian.sources"
  equal 'mirrors: a list of mirrors' 'http://cloud.example/debian http://other.example/debian ' "$(candidates)"
  rm -r "$apt"
  equal 'mirrors: none' '' "$(candidates)"
}

# proxies CONFIGURATION ENVIRONMENT…: what debootstrap would use.
proxies() {
  printf '%s\n' "$1" >"$tmp/apt.conf"
  shift
  env APT_CONFIG="$tmp/apt.conf" "$@" bash -c 'source "$1"; MIRROR=http://mirror.example/debian; export_proxy
    echo "${http_proxy-none} ${https_proxy-none}"' x "$setup"
}

test_proxies() {
  type -P apt-config >/dev/null || { skip 'proxies: no apt here'; return; }
  equal 'proxy: none' 'none none' "$(proxies '' A=b)"
  equal 'proxy: from the environment' 'http://e.example:1 none' "$(proxies '' http_proxy=http://e.example:1)"
  equal 'proxy: from apt, which has precedence' 'http://p.example:3142 http://p.example:3142' \
    "$(proxies 'Acquire::http::Proxy "http://p.example:3142";' http_proxy=http://e.example:1)"
  equal 'proxy: none for this host' 'none none' \
    "$(proxies 'Acquire::http::Proxy "http://p.example:1"; Acquire::http::Proxy::mirror.example "DIRECT";' A=b)"
}

# --- the machine as it is --------------------------------------------------------------------------------------

test_machine() {
  local calls
  fresh
  machine_has_all
  expect 'setup: the machine has everything' 0 'ready: this machine has everything' "$setup"
  mkdir "$SCREE_ENV/part.1" "$SCREE_ENV/old.1"
  expect 'setup: repeated' 0 'ready: this machine has everything' "$setup"
  calls=$(wc -l <"$tmp/cmake.calls")
  equal 'the second set-up does not ask CMake' 1 "$calls"
  touch -d 2000-01-01 "$SCREE_ENV"/probe-*
  if [[ -e /var/lib/dpkg/status ]]; then
    "$setup" >/dev/null
    equal 'it does when packages have changed since' 2 "$(wc -l <"$tmp/cmake.calls")"
    [[ ! -e $SCREE_ENV/part.1 && ! -e $SCREE_ENV/old.1 ]]
    report 'and removes what an interrupted one has left'
  else
    skip 'changed packages: no dpkg here'
  fi
  CMAKE_PREFIX_PATH=/elsewhere "$setup" >/dev/null
  equal 'it does when a module changes the environment' 3 "$(wc -l <"$tmp/cmake.calls")"
  "$setup" --remake >/dev/null
  equal 'it does with --remake' 4 "$(wc -l <"$tmp/cmake.calls")"
  equal 'setup takes milliseconds when all is there' yes "$(is_fast)"
}

# The best of five, because the machine may have other things to do.
is_fast() {
  local start best=1000000 i
  for i in 1 2 3 4 5; do
    start=${EPOCHREALTIME/./}
    "$setup" >/dev/null
    i=$((${EPOCHREALTIME/./} - start))
    ((i >= best)) || best=$i
  done
  if ((best < 100000)); then echo yes; else echo "$best microseconds"; fi
}

test_lock() {
  local lock waiter output
  fresh
  machine_has_all
  mkdir -p "$SCREE_ENV"
  echo '4711 for /some/clone, since 12:00:00' >"$SCREE_ENV/lock"
  exec {lock}<>"$SCREE_ENV/lock"
  flock "$lock"
  "$setup" >"$tmp/waiter" 2>&1 {lock}>&- &
  waiter=$!
  for _ in {1..50}; do [[ ! -s $tmp/waiter ]] || break; sleep 0.05; done
  output=$(<"$tmp/waiter")
  [[ $output == *'waiting for another set-up (process 4711 for /some/clone'* && $output != *ready* ]]
  report 'a second set-up waits and says for whom' "$output"
  exec {lock}>&-
  wait "$waiter"
  report 'and goes on when the first has ended' "$(<"$tmp/waiter")"
}

test_not_root() {
  fresh
  machine_lacks 'ParMETIS,\n  ADIOS2'
  mkdir -m 777 "$SCREE_ENV"
  if ! is_root; then
    expect 'not root: says what is missing' 2 'missing on this machine: ParMETIS*ADIOS2*need root*spack*module' "$setup"
  elif as_nobody true 2>/dev/null; then
    expect 'not root: says what is missing' 2 'missing on this machine: ParMETIS*ADIOS2*need root*spack*module' \
      as_nobody "$setup"
    expect 'not root: a directory of somebody else' 2 'cannot write to' as_nobody env SCREE_ENV=/nowhere/scree "$setup"
  else
    skip 'not root: cannot become nobody'
  fi
}

# --- packages and tree, as root --------------------------------------------------------------------------------

test_packages_by_name() {
  is_root || { skip 'packages by name: not root'; return; }
  fresh
  machine_lacks ParMETIS
  fake apt-get <<END
echo "\$*" >>$tmp/apt.calls
[[ \$* == *--simulate* || \$* != *install* ]] || {
  printf '#!/bin/bash\necho >>$tmp/cmake.calls\n' >$tmp/fake/cmake
  cp $tmp/fake/ninja $tmp/fake/mpicc
}
END
  expect 'packages by name: installed where the suites offer all' 0 'installing*ready: this machine has everything' "$setup"
  grep -v simulate "$tmp/apt.calls" | grep -q 'no-install-recommends.* libparmetis-dev .*libcminpack-dev.*gdb'
  report 'packages by name: the names are those of the list' "$(<"$tmp/apt.calls")"
  expect 'packages by name: repeated' 0 'ready: this machine has everything' "$setup"
  equal 'packages by name: then CMake is not asked, though there is an mpicc now' 1 "$(wc -l <"$tmp/cmake.calls")"
  fresh
  machine_lacks ParMETIS
  fake apt-get <<<:
  expect 'packages by name: of no use' 1 'CMake does not find: ParMETIS' "$setup"
}

test_no_tree() {
  can_mount || { skip 'machines without a way: need root and mounts'; return; }
  fresh
  machine_lacks ParMETIS
  suites_lack
  expect 'another distribution' 2 'missing on this machine: ParMETIS*Spack' on_machine 'ID=fedora\nVERSION_ID=40\n' '' "$setup"
  expect 'an older Debian' 2 'missing on this machine: ParMETIS' on_machine 'ID=debian\nVERSION_ID=11\n' '' "$setup"
  expect 'no mirror' 2 'no Debian archive in the apt configuration*SCREE_MIRROR' on_machine "$debian" '' "$setup"
  expect 'root that may not mount' 2 'not allowed to mount' \
    on_machine "$debian" '' setpriv --bounding-set -sys_admin --inh-caps -sys_admin "$setup"
  mkdir -p "$tmp/small"
  expect 'a small disk' 2 'MB are free*SCREE_ENV' on_machine "$debian" '' \
    bash -c 'mount -t tmpfs -o size=9m small "$1" && SCREE_ENV=$1 "$2"' x "$tmp/small" "$setup"
  [[ -x /usr/lib/apt/apt-helper ]] || { skip 'no network: no apt here'; return; }
  expect 'no network' 2 'cannot reach the Debian archive http://mirror.example/debian' \
    on_machine "$debian" 'deb http://mirror.example/debian bookworm main\n' "$setup"
  mkdir -p "$tmp/archive/dists/trixie"
  echo 'Origin: Somebody' >"$tmp/archive/dists/trixie/InRelease"
  expect 'an archive that is not Debian' 2 'none of these is a Debian archive' \
    on_machine "$debian" "deb file://$tmp/archive bookworm main\n" "$setup"
}

debian_archive() {
  mkdir -p "$tmp/archive/dists/"{trixie,sid}
  echo 'Origin: Debian' | tee "$tmp/archive/dists/"{trixie,sid}/InRelease >/dev/null
  machine_lacks ParMETIS
  suites_lack
  export SCREE_MIRROR=file://$tmp/archive
}

# A debootstrap that makes the directories the script relies on, and a chroot that does nothing.
plays_along() {
  fake debootstrap <<'END'
for last; do :; done
part=${*: -2:1}
mkdir -p "$part"/{etc/apt/{preferences,apt.conf}.d,usr/sbin,usr/bin,proc,dev,mnt,var/{lib/{dpkg/info,apt/lists},cache,log}}
touch "$part/usr/bin/cmake"
echo /usr/bin/cmake >"$part/var/lib/dpkg/info/cmake.list"
END
  fake chroot <<<"echo \"\$*\" >>$tmp/chroot.calls"
}

test_tree() {
  local tree
  if ! can_mount || [[ ! -x /usr/lib/apt/apt-helper ]]; then skip 'tree: needs root, mounts and apt'; return; fi
  fresh
  debian_archive
  fake debootstrap <<<'echo I: nothing works; exit 1'
  expect 'tree: a failure shows its last lines and its log' 1 '| I: nothing works*the set-up failed*setup.log' "$setup"
  fake debootstrap <<<'echo tar: No space left on device; exit 1'
  expect 'tree: the disk runs full' 2 'is full: make room' "$setup"
  fake debootstrap <<<'echo E: Failed getting release file; exit 1'
  expect 'tree: the network goes away' 2 'the network failed' "$setup"
  equal 'tree: nothing is left of these' '' "$(compgen -G "$SCREE_ENV/part.*"; compgen -G "$SCREE_ENV/debian*")"
  plays_along
  expect 'tree: made' 0 'base system*lists*packages*finishing*ready: private Debian 13 tree in' "$setup"
  grep -q 'install .*libparmetis-dev.*gdb' "$tmp/chroot.calls"
  report 'tree: the packages are those of the list' "$(<"$tmp/chroot.calls")"
  tree=$(compgen -G "$SCREE_ENV/debian-13-*")
  grep -q '^Pin: release n=sid' "$tree/etc/apt/preferences.d/scree" && grep -q '^Package: libparmetis\*' "$tree/etc/apt/preferences.d/scree"
  report 'tree: sid is pinned'
  rm "$tmp/fake/debootstrap"
  expect 'tree: repeated' 0 'ready: private Debian 13 tree' "$setup"
  rm "$tree/usr/bin/cmake"
  expect 'broken tree: in-env says so' 2 'is broken (/usr/bin/cmake is missing): run runs/setup' "$in_env" true
  plays_along
  expect 'broken tree: setup makes it anew' 0 'is broken (/usr/bin/cmake is missing)*ready: private' "$setup"
  fake debootstrap <<<'exit 1'
  expect 'tree: --remake that fails' 1 'the set-up failed' "$setup" --remake
  expect 'tree: leaves the old one as it was' 0 'ready: private Debian 13 tree' "$setup"
  echo '# a remark' >>"$clone/runs/packages.txt"
  expect 'tree: a remark in the list changes nothing' 0 'ready: private Debian 13 tree' "$setup"
  echo 'tool lots-of-fun' >>"$clone/runs/packages.txt"
  expect 'tree: another list is another tree' 2 'run runs/setup first' "$in_env" true
  plays_along
  "$setup" >/dev/null
  equal 'tree: the other stays for other clones' 2 "$(compgen -G "$SCREE_ENV/debian-13-*" | wc -l)"
  touch -d 2000-01-01 "$tree/last-used"
  "$setup" --remake >/dev/null
  [[ ! -e $tree ]]
  report 'tree: until it is forgotten'
  cp "$source_dir/runs/packages.txt" "$clone/runs/"
  unset SCREE_MIRROR
}

test_kill() {
  local pid beats
  if ! can_mount || [[ ! -x /usr/lib/apt/apt-helper ]]; then skip 'kill: needs root, mounts and apt'; return; fi
  fresh
  debian_archive
  fake debootstrap <<END
mkdir -p "\${*: -2:1}/proc"
mount -t tmpfs x "\${*: -2:1}/proc"
(while sleep 0.02; do echo >>$tmp/beats; done) &
wait
END
  "$setup" >/dev/null 2>&1 &
  pid=$!
  for _ in {1..100}; do [[ ! -s $tmp/beats ]] || break; sleep 0.05; done
  [[ -s $tmp/beats ]]
  report 'kill -9: (there is something to kill)'
  kill -KILL "$pid"
  wait "$pid" 2>/dev/null
  sleep 0.2
  beats=$(wc -l <"$tmp/beats")
  sleep 0.3
  equal 'kill -9: no process is left' "$beats" "$(wc -l <"$tmp/beats")"
  ! grep -q "$SCREE_ENV" /proc/mounts
  report 'kill -9: nothing is left mounted'
  compgen -G "$SCREE_ENV/part.*" >/dev/null
  report 'kill -9: (there is something to clean up)'
  plays_along
  expect 'kill -9: the next set-up starts anew' 0 'ready: private Debian 13 tree' timeout 20 "$setup"
  equal 'kill -9: and cleans up' '' "$(compgen -G "$SCREE_ENV/part.*")"
  unset SCREE_MIRROR
}

# --- in-env ----------------------------------------------------------------------------------------------------

# What holds wherever the command runs. The argument says where that is.
test_in_env_anywhere() {
  local where=$1 pid
  equal "in-env $where: arguments" 'a b||*|$x|' "$("$in_env" printf '%s|' 'a b' '' '*' '$x')"
  expect "in-env $where: exit status" 7 '' "$in_env" sh -c 'exit 7'
  expect "in-env $where: no such command" 127 'nosuchcommand: command not found' "$in_env" nosuchcommand
  expect "in-env $where: not executable" 126 '' "$in_env" "$tmp"
  equal "in-env $where: standard input" hello "$(echo hello | "$in_env" cat)"
  mkdir -p "$tmp/a directory"
  equal "in-env $where: directory" "$tmp/a directory" "$(cd "$tmp/a directory" && "$in_env" pwd)"
  expect "in-env $where: kills itself" 143 '' "$in_env" sh -c 'kill -TERM $$'
  "$in_env" sh -c 'echo $$ >"$0"; exec sleep 60' "$tmp/pid" &
  pid=$!
  for _ in {1..100}; do [[ ! -s $tmp/pid ]] || break; sleep 0.05; done
  equal "in-env $where: the process is the one that was started" "$pid" "$(<"$tmp/pid")"
  rm "$tmp/pid"
  kill -INT "$pid" 2>/dev/null # ignored by a background process of a script: must change nothing
  kill -TERM "$pid"
  wait "$pid" 2>/dev/null
  equal "in-env $where: SIGTERM" 143 $?
  expect "in-env $where: nested" 5 "$tmp" "$in_env" "$in_env" "$in_env" sh -c 'pwd -P; cd "$0"; pwd; exit 5' "$tmp"
  equal "in-env $where: the user's Open MPI settings stay" 'tcp ' \
    "$(OMPI_MCA_btl=tcp PRTE_MCA_rmaps_default_mapping_policy='' "$in_env" sh -c \
      'echo "$OMPI_MCA_btl $PRTE_MCA_rmaps_default_mapping_policy"')"
  equal "in-env $where: a batch system's choices stay" none \
    "$(SLURM_JOB_ID=1 "$in_env" sh -c 'echo "${OMPI_MCA_btl-none}"')"
}

openmpi_settings() {
  "$@" "$in_env" bash -c 'echo "${OMPI_ALLOW_RUN_AS_ROOT-no} ${OMPI_ALLOW_RUN_AS_ROOT_CONFIRM-no}" \
    "$OMPI_MCA_btl $OMPI_MCA_rmaps_base_oversubscribe $PRTE_MCA_rmaps_default_mapping_policy"'
}

test_in_env_on_machine() {
  local root='no no'
  fresh
  machine_has_all
  "$setup" >/dev/null
  test_in_env_anywhere 'on the machine'
  ! is_root || root='1 1'
  equal 'in-env on the machine: Open MPI' "$root ^tcp 1 :oversubscribe" "$(openmpi_settings env)"
  ! is_root || equal 'in-env on the machine, not root: Open MPI' 'no no ^tcp 1 :oversubscribe' "$(openmpi_settings as_nobody)"
  equal 'in-env on the machine: the environment stays' /x "$(PYTHONPATH=/x "$in_env" sh -c 'echo $PYTHONPATH')"
}

# A tree with the machine's own /usr: all that runs/in-env does, without the 1.5 GB.
small_tree() {
  local tree name
  mkdir -p "$SCREE_ENV"
  tree=$(functions eval 'scree_find_dir; scree_find_tree; echo "$SCREE_TREE"')
  mkdir -p "$tree"/{etc,var/tmp,mnt}
  for name in bin lib lib32 lib64 sbin; do [[ ! -L /$name ]] || ln -s "usr/$name" "$tree/$name"; done
  ln -s /usr "$tree/usr"
  touch "$tree"/etc/{hosts,resolv.conf,passwd,group,only-here}
  printf 'key\n/usr/bin/env\nend\n' >"$tree/etc/scree-tree"
  chmod -R a+rX "$SCREE_ENV"
}

test_in_env_in_tree() {
  local before answer
  can_mount || { skip 'in-env in a tree: needs root and mounts'; return; }
  fresh
  small_tree
  before=$(sort /proc/mounts)
  expect 'in-env in the tree: it is the tree' 0 only-here "$in_env" ls /etc
  test_in_env_anywhere 'in the tree'
  equal 'in-env in the tree: Open MPI' '1 1 self,sm 1 :oversubscribe' "$(openmpi_settings env)"
  expect 'in-env in the tree: files of the machine' 0 '' "$in_env" bash -c \
    '[[ -d /dev/shm && -e /proc/self/stat && -d /sys/class && -e $0 && -w /tmp && -w $HOME ]] && : >/dev/null' "$source_dir/tests/cli/setup.sh"
  expect 'in-env in the tree: it cannot be changed' 1 'Read-only' "$in_env" bash -c ': >/etc/new || exit 1'
  answer=$(LANG=xx_YY.UTF-8 LC_TIME=xx_YY CC=nosuchcc CXX='nosuchcache g++' PYTHONPATH=/x PYTHONHOME=/x PERL5LIB=/x \
    LD_LIBRARY_PATH=/x CMAKE_PREFIX_PATH=/x SHELL=/bin/nosuchshell DATA_ROOT=/x "$in_env" bash -c \
    'echo "$LANG|${LC_TIME-}|${CC-}${CXX-}|${PYTHONPATH-}${PYTHONHOME-}${PERL5LIB-}${LD_LIBRARY_PATH-}|$SHELL|$DATA_ROOT"' 2>&1)
  equal 'in-env in the tree: what would mislead stays behind' 'C.UTF-8||||/bin/bash|/x' "${answer##*$'\n'}"
  equal 'in-env in the tree: PATH' /usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
    "$("$in_env" sh -c 'echo $PATH')"
  expect 'in-env in the tree: setup has nothing to do' 0 'ready: inside the tree' "$in_env" "$setup"
  equal 'in-env in the tree: a directory under /var' /var/lib "$(cd /var/lib && "$in_env" pwd)"
  expect 'in-env in the tree: it does not contain itself' 1 '' "$in_env" grep -q 'debian-13-[^/ ]*/mnt' /proc/self/mounts
  equal 'in-env in the tree: nothing is left mounted' "$before" "$(sort /proc/mounts)"
  if as_nobody unshare --user --map-root-user --mount true 2>/dev/null; then
    expect 'in-env in the tree, not root' 3 only-here as_nobody "$in_env" sh -c 'ls /etc; exit 3'
  else
    skip 'in-env in the tree, not root: needs user namespaces'
  fi
}

# Trees that are no longer wanted go, but not while a command runs in them.
test_old_trees() {
  local tree sleeper
  can_mount || { skip 'old trees: need root and mounts'; return; }
  fresh
  small_tree
  tree=$(compgen -G "$SCREE_ENV/debian-13-*")
  "$in_env" sleep 60 &
  sleeper=$!
  for _ in {1..50}; do functions is_in_use "$tree" && break; sleep 0.05; done
  touch -d 2000-01-01 "$tree/last-used"
  functions eval 'scree_find_dir; SCREE_TREE=another; forget_old_trees' >/dev/null
  [[ -e $tree ]]
  report 'old trees: one in use is not forgotten'
  mv "$tree" "$SCREE_ENV/old.1"
  functions eval 'scree_find_dir; remove_leftovers'
  [[ -e $SCREE_ENV/old.1 ]]
  report 'old trees: one in use is not removed when it is replaced'
  kill "$sleeper"
  wait "$sleeper" 2>/dev/null
  functions eval 'scree_find_dir; remove_leftovers'
  [[ ! -e $SCREE_ENV/old.1 ]]
  report 'old trees: it is, when the command has ended'
}

test_arguments
test_mirrors
test_proxies
test_machine
test_lock
test_not_root
test_packages_by_name
test_no_tree
test_tree
test_kill
test_in_env_on_machine
test_in_env_in_tree
test_old_trees

echo "$passed passed, $failed failed"
((failed == 0))
