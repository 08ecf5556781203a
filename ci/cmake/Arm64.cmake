# The tool chain of the preset static-arm64: Debian's cross compiler (g++-aarch64-linux-gnu), the libraries that
# `ci/static-sources arm64` brings, and an emulator for what the build makes and runs.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64-static)

set(root "${CMAKE_CURRENT_LIST_DIR}/../../build/static-sources/arm64")
get_filename_component(root "${root}" ABSOLUTE)
set(CMAKE_FIND_ROOT_PATH "${root}")
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
# FindOpenSSL asks pkg-config first.
set(ENV{PKG_CONFIG_LIBDIR} "${root}/usr/lib/aarch64-linux-gnu/pkgconfig")

set(CMAKE_CXX_FLAGS_INIT "-isystem ${root}/usr/include -isystem ${root}/usr/include/aarch64-linux-gnu")
# AssayStatic.cmake links with what is there before the compiler's own.
set(ASSAY_STATIC_LIBRARIES "${root}/usr/lib/aarch64-linux-gnu")
