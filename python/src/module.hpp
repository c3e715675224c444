// What the parts of the Python module share. The module is a thin layer over include/isaforge: what it adds is what Python
// users expect, exceptions with diagnostics, mappings, and views of memory for NumPy. Whatever takes long releases the
// interpreter's lock.
#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include <cstdint>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "isaforge/codec.hpp"
#include "isaforge/diagnostics.hpp"
#include "isaforge/isa.hpp"
#include "isaforge/machine.hpp"
#include "isaforge/object.hpp"
#include "isaforge/source.hpp"

namespace isaforge::python {

namespace py = pybind11;
using ReleaseLock = py::call_guard<py::gil_scoped_release>;
using Bytes = std::vector<std::uint8_t>;

// A diagnostic that stands for itself.
struct Message {
    std::string severity, text, file, suggestion, shown;  // shown: as the command prints it
    std::uint32_t line = 0, column = 0, length = 0;       // zeros where there is no place
    std::vector<Message> notes;
};
std::vector<Message> messages_of(const Diagnostics& diagnostics, const SourceManager& sources);

// Becomes isaforge.Error in Python.
struct Failure : std::runtime_error {
    explicit Failure(const std::string& what, std::vector<Message> found = {})
        : std::runtime_error(what), messages(std::move(found)) {}
    Failure(const Diagnostics& diagnostics, const SourceManager& sources);
    std::vector<Message> messages;
};

// A kernel that ended before its time becomes isaforge.LaunchError.
struct LaunchFailure;

// A description that was loaded, with the tables that are made from it.
struct Description {
    std::shared_ptr<const Isa> isa;
    std::shared_ptr<const Codec> codec;
    std::shared_ptr<SourceManager> sources;
};

// One statement that emitted bytes.
struct Line {
    std::uint32_t number = 0;
    std::uint64_t address = 0;  // as the code counts
    Bytes bytes;
    std::string text;
};

// A program: what was assembled or read, and the same with all addresses known.
struct Program {
    std::shared_ptr<Description> description;
    Object object, placed;
    bool has_flags = true;
    std::string problem;  // why addresses are not all known
    std::vector<Message> messages;
    std::vector<Line> lines;
    std::string listing;

    const Object& with_addresses() const;  // throws Failure
    // Names of labels and other symbols; addresses count as programs count them.
    std::map<std::string, std::uint64_t> symbols() const;
};

// What Python has as bytes, bytearray, memoryview or an array.
Bytes bytes_of(const py::buffer& buffer);
py::bytes to_bytes(const Bytes& bytes);

// A name for each way in which a run ends: "stopped", "bad_read".
const char* reason_name(StopReason reason);
Engine engine_named(const std::string& name);
Checks checks_named(const std::string& list);

void define_errors(py::module_& module);
void define_isa(py::module_& module);
void define_machine(py::module_& module);
void define_device(py::module_& module);

}  // namespace isaforge::python
