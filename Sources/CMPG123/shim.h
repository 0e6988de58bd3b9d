#include <mpg123.h>

// Newer headers turn `mpg123_param` into a macro for `mpg123_param2`, and Swift imports function-like names only as
// they are declared. Older headers take an enumeration here, and bytes in `mpg123_feed`. C converts all of that.

/// mpg123_param under one spelling for every version of the header.
static inline int cmpg123_set_parameter(mpg123_handle *handle, int parameter, long value) {
  return mpg123_param(handle, parameter, value, 0);
}

/// mpg123_feed with one pointer type for every version of the header.
static inline int cmpg123_feed(mpg123_handle *handle, const void *bytes, size_t count) {
  return mpg123_feed(handle, bytes, count);
}
