# One way to find a library that ships neither a CMake package nor, everywhere, a pkg-config file.
#
#   scree_find_library(NAME HEADER h [LIBRARY l] [SUFFIXES s...] [VERSION_REGEX r] [LINK targets...])
#
# defines the imported target NAME::NAME, NAME_FOUND and NAME_VERSION. Hints: NAME_ROOT and CMAKE_PREFIX_PATH.
include(FindPackageHandleStandardArgs)

function(scree_find_library name)
  cmake_parse_arguments(arg "" "HEADER;LIBRARY;VERSION_REGEX" "SUFFIXES;LINK" ${ARGN})
  find_path(${name}_INCLUDE_DIR ${arg_HEADER} PATH_SUFFIXES ${arg_SUFFIXES})
  set(required ${name}_INCLUDE_DIR)
  if(arg_LIBRARY)
    find_library(${name}_LIBRARY ${arg_LIBRARY})
    list(PREPEND required ${name}_LIBRARY)
  endif()
  mark_as_advanced(${name}_INCLUDE_DIR ${name}_LIBRARY)

  if(arg_VERSION_REGEX AND ${name}_INCLUDE_DIR)
    # Each line that matches contributes one component: "#define X_MAJOR 4" and so on.
    file(STRINGS "${${name}_INCLUDE_DIR}/${arg_HEADER}" lines REGEX "${arg_VERSION_REGEX}")
    list(TRANSFORM lines REPLACE "^.*[ \t]+([0-9]+)[^0-9]*$" "\\1")
    list(JOIN lines "." ${name}_VERSION)
  endif()

  find_package_handle_standard_args(${name} REQUIRED_VARS ${required} VERSION_VAR ${name}_VERSION)
  if(${name}_FOUND AND NOT TARGET ${name}::${name})
    if(arg_LIBRARY)
      add_library(${name}::${name} UNKNOWN IMPORTED)
      set_target_properties(${name}::${name} PROPERTIES IMPORTED_LOCATION "${${name}_LIBRARY}")
    else()
      add_library(${name}::${name} INTERFACE IMPORTED)
    endif()
    target_include_directories(${name}::${name} INTERFACE "${${name}_INCLUDE_DIR}")
    target_link_libraries(${name}::${name} INTERFACE ${arg_LINK})
  endif()
  set(${name}_FOUND ${${name}_FOUND} PARENT_SCOPE)
  set(${name}_VERSION ${${name}_VERSION} PARENT_SCOPE)
endfunction()
