// The kernels of a code object as its metadata tell of them: what arguments each takes and what it needs. AMDGPUUsage, "Code
// Object V2 Metadata" to "Code Object V5 Metadata"; all versions become one form here.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "isaforge/device.hpp"
#include "isaforge/object.hpp"

namespace isaforge::codeobject {

struct KernelMetadata {
    std::string symbol;  // of the descriptor, or of the code object's header of version 2
    KernelInfo info;     // without addresses
};

struct ObjectMetadata {
    std::vector<KernelMetadata> kernels;
    std::vector<std::string> printf_formats;  // "1:2:4:8:%d %f\n": number, count of arguments, their sizes, the text
};

// Nothing where the object has no metadata, or none that can be read.
std::optional<ObjectMetadata> read_object_metadata(const Object& object);

}  // namespace isaforge::codeobject
