// What kernels.cpp became, as bytes of the plug-in.
#pragma once

extern "C" {
extern const char kernels_bitcode_begin[], kernels_bitcode_end[];
}
