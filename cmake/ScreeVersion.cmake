# Run at build time, so that the revision is that of the build and not of the last configure. Writes only on change.
set(SCREE_REVISION "unknown")
find_package(Git QUIET)
if(GIT_FOUND)
  execute_process(COMMAND "${GIT_EXECUTABLE}" -c "safe.directory=*" describe --always --dirty --abbrev=12
    WORKING_DIRECTORY "${SCREE_SOURCE_DIR}" OUTPUT_VARIABLE out RESULT_VARIABLE failed
    OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  if(NOT failed)
    set(SCREE_REVISION "${out}")
  endif()
endif()
configure_file("${SCREE_SOURCE_DIR}/src/version.c.in" "${SCREE_VERSION_FILE}" @ONLY)
