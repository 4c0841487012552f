# What runs/setup and runs/in-env share: where the tools are kept, how a finished set-up is recognised, and which
# environment Open MPI needs. Sourced, never run. Everything here is on the path of every command, so it is kept to
# shell built-ins and one or two processes.
# shellcheck shell=bash
# shellcheck disable=SC2034  # the results are variables of the caller

# Raised when a tree made by an older runs/setup would no longer do.
SCREE_TREE_LAYOUT=1
# A tree carries this file; it is written last, and holds the key and one line per file that must exist.
SCREE_MARKER=etc/scree-tree

SCREE_SYSTEM_PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
shopt -s extglob

scree_say() { printf '%s: %s\n' "${SCREE_PROGRAM:-scree}" "$*"; }

# scree_fail STATUS MESSAGE…: 2 is for what the user has to mend, 1 for anything else.
scree_fail() {
  local status=$1 line
  shift
  for line; do [[ -z $line ]] || scree_say "$line" >&2; done
  exit "$status"
}

# Sets SCREE_DIR: outside the clone, so that all clones share it and `git clean` leaves it alone.
scree_find_dir() {
  SCREE_DIR=${SCREE_ENV:-${XDG_CACHE_HOME:-${HOME:-}/.cache}/scree}
  if [[ -z ${SCREE_ENV:-}${XDG_CACHE_HOME:-}${HOME:-} ]]; then
    scree_fail 2 'HOME is not set: say with SCREE_ENV=DIR where the tools shall be kept'
  fi
  [[ $SCREE_DIR == /* ]] || SCREE_DIR=$PWD/$SCREE_DIR
  while [[ $SCREE_DIR == */ ]]; do SCREE_DIR=${SCREE_DIR%/}; done
  # debootstrap and dpkg's maintainer scripts do not quote the path of the tree.
  if [[ $SCREE_DIR == *[[:space:]:\\]* ]]; then
    scree_fail 2 "the path '$SCREE_DIR' contains a space, colon or backslash: set SCREE_ENV to one without"
  fi
}

# scree_packages KIND…: the names of these kinds, in the order of the list.
scree_packages() {
  local kind name
  while read -r kind name _; do
    [[ -n $name && " $* " == *" $kind "* ]] && printf '%s\n' "$name"
  done <"$SCREE_CLONE/runs/packages.txt"
  return 0
}

# Sets SCREE_TREE. Its name holds the hash of the list, so that one directory never changes its meaning.
scree_find_tree() {
  local kind name list="layout $SCREE_TREE_LAYOUT"
  while read -r kind name _; do
    [[ -z $name || $kind == '#' ]] || list+=$'\n'"$kind $name"
  done <"$SCREE_CLONE/runs/packages.txt"
  SCREE_KEY=$(sha256sum <<<"$list")
  SCREE_KEY=${SCREE_KEY:0:12}
  SCREE_TREE=$SCREE_DIR/debian-13-$SCREE_KEY
}

# Sets SCREE_FAULT to what is wrong with a tree, empty if nothing is. A missing tree is `none`.
scree_check_tree() {
  local tree=$1 lines file
  SCREE_FAULT=none
  [[ -e $tree ]] || return 0
  SCREE_FAULT=/$SCREE_MARKER
  [[ -r $tree/$SCREE_MARKER ]] || return 0
  mapfile -t lines <"$tree/$SCREE_MARKER"
  [[ ${lines[-1]:-} == end ]] || return 0
  for file in "${lines[@]:1:${#lines[@]}-2}"; do
    SCREE_FAULT=$file
    [[ -e $tree$file || -L $tree$file ]] || return 0
  done
  SCREE_FAULT=
}

# Sets SCREE_PROBE: the file that keeps CMake's answer for this machine. Its name is made from all that the answer
# depends on (what is asked, and the environment a module or Spack changes); installed packages are minded by age.
scree_find_probe() {
  local name key
  key=$(
    cat /etc/os-release "$SCREE_CLONE"/cmake/*.cmake "$SCREE_CLONE"/cmake/probe/CMakeLists.txt 2>/dev/null
    for name in cmake ninja mpicc "${CC:-cc}"; do type -P "${name%% *}"; done
    for name in CC CFLAGS LDFLAGS CMAKE_PREFIX_PATH CMAKE_MODULE_PATH CMAKE_TOOLCHAIN_FILE PKG_CONFIG_PATH \
      LD_LIBRARY_PATH CPATH LIBRARY_PATH; do printf '%s=%s\n' "$name" "${!name-}"; done
  ) || true
  key=$(sha256sum <<<"$key")
  SCREE_PROBE=$SCREE_DIR/probe-${key:0:12}
}

# Inside, the variable spares a look at the disk and the file guards against a variable that was merely inherited.
scree_is_inside() { [[ -n ${SCREE_IN_ENV:-} && -e /$SCREE_MARKER ]]; }

# Sets and exports a variable unless the user has set it, be it to nothing.
scree_default() { [[ -n ${!1+set} ]] || export "$1=$2"; }

# scree_set_openmpi tree|machine: what Open MPI (4.1 and 5.0) needs to start ranks on one machine without complaint.
scree_set_openmpi() {
  if ((EUID == 0)); then
    scree_default OMPI_ALLOW_RUN_AS_ROOT 1
    scree_default OMPI_ALLOW_RUN_AS_ROOT_CONFIRM 1
  fi
  # A batch system knows its nodes and slots: there, neither transports nor slots are ours to choose.
  [[ -z ${SLURM_JOB_ID:-}${PBS_JOBID:-}${LSB_JOBID:-}${PE_HOSTFILE:-} ]] || return 0
  scree_default OMPI_MCA_rmaps_base_oversubscribe 1
  scree_default PRTE_MCA_rmaps_default_mapping_policy :oversubscribe
  # The shared-memory transport is called vader in 4.1 and sm in 5.0; excluding tcp means the same in both.
  if [[ $1 == tree ]]; then scree_default OMPI_MCA_btl self,sm; else scree_default OMPI_MCA_btl ^tcp; fi
}

# What belongs to the machine's own programs and would mislead those of the tree stays behind.
scree_clean_environment() {
  local name
  for name in $(compgen -e); do
    case $name in
      LD_* | LIBRARY_PATH | CPATH | *_INCLUDE_PATH | COMPILER_PATH | GCC_EXEC_PREFIX | OMPI_CC | OMPI_CXX) ;;
      CMAKE_*_PATH | CMAKE_TOOLCHAIN_FILE | CMAKE_GENERATOR* | PKG_CONFIG* | OPAL_PREFIX) ;;
      @(MPI|ADIOS2|ParMETIS|PARMETIS|METIS|cmocka|yaml|cyaml|Random123|xxHash|cminpack)_@(ROOT|DIR|HOME)) ;;
      PYTHONHOME | PYTHONPATH | PYTHONSTARTUP | PYTHONUSERBASE | PYENV* | CONDA* | VIRTUAL_ENV* | PERL*) ;;
      BASH_ENV | ENV | GCONV_PATH | LOCPATH | NLSPATH) ;;
      LC_* | LANG | LANGUAGE)
        # The tree has these locales and no other.
        [[ ${!name} != @(C|POSIX|C.UTF-8|C.utf8) ]] || continue
        ;;
      *) continue ;;
    esac
    { unset "$name"; } 2>/dev/null # bash itself may not know the locale it is left with
  done
  [[ -n ${LC_ALL:-}${LANG:-} ]] || export LANG=C.UTF-8
}
