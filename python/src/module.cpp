#include "module.hpp"

#include <cstring>

namespace isaforge::python {

namespace {

Message message_of(const Diagnostic& diagnostic, const SourceManager& sources) {
    Message message;
    message.severity = diagnostic.severity == Severity::error     ? "error"
                       : diagnostic.severity == Severity::warning ? "warning"
                                                                  : "note";
    message.text = diagnostic.message;
    message.suggestion = diagnostic.suggestion;
    message.shown = to_text(diagnostic, sources);
    if (diagnostic.place.known()) {
        const LineColumn at = sources.line_column(diagnostic.place);
        message.file = sources.name(diagnostic.place.file);
        message.line = at.line;
        message.column = at.column;
        message.length = diagnostic.place.length;
    }
    for (const Diagnostic& note : diagnostic.notes) message.notes.push_back(message_of(note, sources));
    return message;
}

std::string without_line_end(std::string text) {
    while (text.ends_with('\n')) text.pop_back();
    return text;
}

constexpr const char* reasons[] = {"running",     "stopped",        "limit",           "bad_index", "illegal",
                                   "undefined",   "port_collision", "breakpoint",      "bad_read",  "bad_write",
                                   "bad_execute", "misaligned",     "misaligned_code", "aborted",   "failed",
                                   "waiting",     "event_loop"};
static_assert(std::size(reasons) == static_cast<std::size_t>(StopReason::event_loop) + 1);

}  // namespace

std::vector<Message> messages_of(const Diagnostics& diagnostics, const SourceManager& sources) {
    std::vector<Message> out;
    for (const Diagnostic& diagnostic : diagnostics.all()) out.push_back(message_of(diagnostic, sources));
    return out;
}

Failure::Failure(const Diagnostics& diagnostics, const SourceManager& sources)
    : Failure(without_line_end(to_text(diagnostics, sources)), messages_of(diagnostics, sources)) {}

Bytes bytes_of(const py::buffer& buffer) {
    // Of arrays the elements in order, however they lie.
    const auto flat = py::reinterpret_steal<py::bytes>(PyBytes_FromObject(buffer.ptr()));
    if (!flat) throw py::error_already_set();
    char* data = nullptr;
    py::ssize_t size = 0;
    PyBytes_AsStringAndSize(flat.ptr(), &data, &size);
    return {data, data + size};
}

py::bytes to_bytes(const Bytes& bytes) { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }

const char* reason_name(StopReason reason) { return reasons[static_cast<std::size_t>(reason)]; }

Engine engine_named(const std::string& name) {
    const std::optional<Engine> engine = parse_engine(name);
    if (!engine) throw py::value_error("engine: '" + name + "' is not auto, interpreter or jit");
    return *engine;
}

Checks checks_named(const std::string& list) {
    if (list.empty()) return {};
    const std::optional<Checks> checks = parse_checks(list);
    if (!checks)
        throw py::value_error("checks: '" + list +
                              "' is not all, or a list of bounds, uninitialised, races, waits and hazards");
    return *checks;
}

void define_errors(py::module_& module) {
    py::class_<Message>(module, "Diagnostic", "What is wrong with a text: an error, a warning or a note, and where.")
        .def_readonly("severity", &Message::severity, "\"error\", \"warning\" or \"note\"")
        .def_readonly("message", &Message::text)
        .def_readonly("file", &Message::file, "The name of the source; empty where there is no place")
        .def_readonly("line", &Message::line, "From 1 on; 0 where there is no place")
        .def_readonly("column", &Message::column, "From 1 on, in bytes")
        .def_readonly("length", &Message::length, "Of the place, in bytes")
        .def_readonly("suggestion", &Message::suggestion, "What to write there instead; may be empty")
        .def_readonly("notes", &Message::notes, "The other places that have to do with it")
        .def("__str__", [](const Message& message) { return without_line_end(message.shown); })
        .def("__repr__", [](const Message& message) {
            return "<Diagnostic " + message.severity + " " + message.file + ":" + std::to_string(message.line) + ":" +
                   std::to_string(message.column) + ": " + message.text + ">";
        });
    // Kept for good: the interpreter ends before this library does.
    static auto& error = *new py::exception<Failure>(module, "Error");
    error.attr("__doc__") =
        "Something is wrong with a description, a program or a file; `diagnostics` says what and where.";
    error.attr("diagnostics") = py::list();
    py::register_exception_translator(
        [](std::exception_ptr thrown) {  // NOLINT(performance-unnecessary-value-param): its type
            try {
                if (thrown) std::rethrow_exception(thrown);
            } catch (const Failure& failure) {
                py::object made = py::reinterpret_borrow<py::object>(error.ptr())(failure.what());
                made.attr("diagnostics") = py::cast(failure.messages);
                PyErr_SetObject(error.ptr(), made.ptr());
            }
        });
}

}  // namespace isaforge::python

PYBIND11_MODULE(_isaforge, module) {
    using namespace isaforge::python;
    module.doc() = "The compiled part of isaforge; import isaforge instead.";
    module.attr("__version__") = ISAFORGE_VERSION;
    define_errors(module);
    define_isa(module);
    define_machine(module);
    define_device(module);
}
