// Compute kernels: a device, code objects, launches. Arrays that are given as arguments are used where they lie.
#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <set>

#include "isaforge/device.hpp"
#include "module.hpp"

namespace isaforge::python {

struct LaunchFailure : std::runtime_error {
    explicit LaunchFailure(const LaunchResult& result) : std::runtime_error(result.message), fault(result.fault) {}
    LaunchFault fault;
};

namespace {

class Device : public std::enable_shared_from_this<Device> {
public:
    Device(const std::string& processor, unsigned threads, const std::string& engine, const std::string& checks) {
        DeviceOptions options;
        options.processor = processor;
        options.threads = threads;
        options.engine = engine_named(engine);
        options.checks = checks_named(checks);
        if (threads > most_threads) throw py::value_error("threads: at most " + std::to_string(most_threads));
        const py::gil_scoped_release unlocked;
        std::string error;
        device_ = ComputeDevice::make(options, error);
        if (!device_) throw Failure(error);
    }
    ComputeDevice& device() { return *device_; }

private:
    std::unique_ptr<ComputeDevice> device_;
};

struct Code {
    std::shared_ptr<Device> device;
    std::shared_ptr<const CodeObject> object;
};

struct Kernel {
    Code code;
    const KernelInfo* info = nullptr;
};

Code load(const std::shared_ptr<Device>& device, const py::object& file) {
    Bytes bytes;
    CodeObjectOptions options;
    if (py::isinstance<py::buffer>(file)) {
        bytes = bytes_of(py::cast<py::buffer>(file));
    } else {
        const auto path = py::cast<std::filesystem::path>(file);
        options.name = path.string();
        std::ifstream stream(path, std::ios::binary);
        bytes.assign(std::istreambuf_iterator<char>(stream), {});
        if (!stream) throw Failure("cannot read '" + options.name + "'");
    }
    const py::gil_scoped_release unlocked;
    std::string error;
    auto object = device->device().load(bytes, options, error);
    if (!object) throw Failure(error);
    return {device, std::move(object)};
}

Extent extent_of(const py::object& value) {
    Extent out;
    if (py::isinstance<py::int_>(value)) {
        out.x = value.cast<std::uint32_t>();
        return out;
    }
    const auto list = py::cast<std::vector<std::uint32_t>>(value);
    if (list.empty() || list.size() > 3) throw py::value_error("an extent is a number, or up to three");
    std::uint32_t* const parts[] = {&out.x, &out.y, &out.z};
    for (std::size_t i = 0; i < list.size(); ++i) *parts[i] = list[i];
    return out;
}

// The block of arguments of a launch, with the arrays that it leads to.
class Arguments {
public:
    Arguments(ComputeDevice& device, const KernelInfo& kernel, const py::args& values) : device_(device) {
        if (!kernel.has_metadata) {
            if (values.size() != 1)
                throw py::type_error("the kernel has no metadata: give its block of arguments as bytes");
            block = bytes_of(py::cast<py::buffer>(values[0]));
            return;
        }
        std::size_t next = 0;
        try {
            for (const KernelArgument& argument : kernel.arguments) {
                if (argument.is_hidden()) continue;
                if (next == values.size())
                    throw py::type_error("argument `" + name_of(argument, next) + "` is missing");
                add(argument, name_of(argument, next), values[next]);
                ++next;
            }
            if (next != values.size())
                throw py::type_error("the kernel takes " + std::to_string(next) + " arguments and got " +
                                     std::to_string(values.size()));
        } catch (...) {
            release();
            throw;
        }
    }
    ~Arguments() { release(); }
    Arguments(const Arguments&) = delete;
    Arguments& operator=(const Arguments&) = delete;

    Bytes block;
    std::uint32_t group_bytes = 0;

private:
    static std::string name_of(const KernelArgument& argument, std::size_t number) {
        return argument.name.empty() ? "argument " + std::to_string(number + 1) : argument.name;
    }

    void put(const KernelArgument& argument, const void* value, std::size_t size) {
        if (block.size() < argument.offset + argument.size) block.resize(argument.offset + argument.size);
        std::memcpy(block.data() + argument.offset, value, std::min<std::size_t>(size, argument.size));
    }

    void add(const KernelArgument& argument, const std::string& name, const py::handle& value) {
        const auto given = py::reinterpret_borrow<py::object>(value);
        if (argument.value_kind == "dynamic_shared_pointer") {
            const std::uint32_t at = (group_bytes + 15) & ~15u;  // the bytes of one behind those of the other
            put(argument, &at, sizeof at);
            group_bytes = at + given.cast<std::uint32_t>();
        } else if (argument.value_kind == "global_buffer") {
            const std::uint64_t address = given.is_none() ? 0 : address_of(name, given);
            put(argument, &address, sizeof address);
        } else if (py::isinstance<py::float_>(given)) {
            put_float(argument, given.cast<double>());
        } else if (py::isinstance<py::int_>(given)) {
            if (argument.type_name == "float" || argument.type_name == "double")
                return put_float(argument, given.cast<double>());
            const std::uint64_t number = PyLong_AsUnsignedLongLongMask(given.ptr());
            put(argument, &number, sizeof number);
        } else {
            const Bytes bytes = bytes_of(py::cast<py::buffer>(given));
            if (bytes.size() != argument.size)
                throw py::value_error(name + " has " + std::to_string(argument.size) + " bytes, and not " +
                                      std::to_string(bytes.size()));
            put(argument, bytes.data(), bytes.size());
        }
    }

    void put_float(const KernelArgument& argument, double value) {
        if (argument.size == 8) return put(argument, &value, sizeof value);
        const auto single = static_cast<float>(value);
        if (argument.size == 4) return put(argument, &single, sizeof single);
        throw py::type_error("a float has 4 or 8 bytes, and not " + std::to_string(argument.size));
    }

    // What the device calls an array that lies here.
    std::uint64_t address_of(const std::string& name, const py::object& value) {
        const py::buffer_info info = py::cast<py::buffer>(value).request(true);
        py::ssize_t stride = info.itemsize;
        for (py::ssize_t i = info.ndim; i-- > 0; stride *= info.shape[static_cast<std::size_t>(i)]) {
            if (info.shape[static_cast<std::size_t>(i)] > 1 && info.strides[static_cast<std::size_t>(i)] != stride)
                throw py::value_error(name + ": the elements do not lie one behind the other in memory");
        }
        const auto address = reinterpret_cast<std::uint64_t>(info.ptr);
        const auto bytes = static_cast<std::uint64_t>(info.size * info.itemsize);
        held_.push_back(value);
        if (bytes == 0 || !addresses_.insert({address, bytes}).second) return address;
        const std::string problem = device_.register_memory({static_cast<std::uint8_t*>(info.ptr), bytes}, {}, name);
        if (!problem.empty()) {
            addresses_.erase({address, bytes});
            throw Failure(name + ": " + problem);
        }
        return address;
    }

    void release() {
        for (const auto& [address, bytes] : addresses_) device_.unregister_memory(address, bytes);
        addresses_.clear();
    }

    ComputeDevice& device_;
    std::set<std::pair<std::uint64_t, std::uint64_t>> addresses_;
    std::vector<py::object> held_;
};

LaunchResult launch(const Kernel& kernel, const py::args& values, const py::object& grid, const py::object& group,
                    std::uint64_t limit, std::uint32_t group_bytes) {
    ComputeDevice& device = kernel.code.device->device();
    LaunchRequest request;
    request.kernel = kernel.info;
    request.grid = extent_of(grid);
    const Extent usual =
        kernel.info->required_group.x != 0 ? kernel.info->required_group : Extent{std::min(request.grid.x, 64u), 1, 1};
    request.group = group.is_none() ? usual : extent_of(group);
    const Arguments arguments(device, *kernel.info, values);
    request.arguments = arguments.block;
    request.group_bytes = arguments.group_bytes + group_bytes;
    request.most_instructions = limit;
    LaunchResult result;
    {
        const py::gil_scoped_release unlocked;
        std::string error;
        const std::shared_ptr<Launch> running = device.launch(request, error);
        if (!running) throw Failure(error);
        result = running->wait();
    }
    if (!result.ok) throw LaunchFailure(result);
    return result;
}

py::dict fault_of(const LaunchFault& fault) {
    py::dict out;
    out["kernel"] = fault.kernel;
    out["group"] = py::make_tuple(fault.group.x, fault.group.y, fault.group.z);
    out["wavefront"] = fault.wavefront;
    out["lanes"] = fault.lanes;
    out["address"] = fault.address;
    out["instruction"] = fault.instruction;
    out["source_line"] = fault.source_line;
    out["reason"] = reason_name(fault.reason);
    out["data_address"] = fault.data_address;
    out["data_bits"] = fault.data_bits;
    return out;
}

}  // namespace

void define_device(py::module_& module) {
    static auto& failed = *new py::exception<LaunchFailure>(module, "LaunchError", module.attr("Error").ptr());
    failed.attr("__doc__") = "A kernel ended before its time; `fault` says where and why.";
    py::register_exception_translator(
        [](std::exception_ptr thrown) {  // NOLINT(performance-unnecessary-value-param): its type
            try {
                if (thrown) std::rethrow_exception(thrown);
            } catch (const LaunchFailure& failure) {
                py::object made = py::reinterpret_borrow<py::object>(failed.ptr())(failure.what());
                made.attr("fault") = fault_of(failure.fault);
                PyErr_SetObject(failed.ptr(), made.ptr());
            }
        });

    py::class_<LaunchResult>(module, "LaunchResult", "How a launch went.")
        .def_readonly("instructions", &LaunchResult::instructions, "Of all wavefronts together")
        .def_readonly("seconds", &LaunchResult::seconds)
        .def_readonly("printed", &LaunchResult::printed, "What the kernel has printed");

    py::class_<KernelArgument>(module, "KernelArgument", "What a kernel takes.")
        .def_readonly("name", &KernelArgument::name)
        .def_readonly("type_name", &KernelArgument::type_name)
        .def_readonly("kind", &KernelArgument::value_kind)
        .def_readonly("offset", &KernelArgument::offset)
        .def_readonly("size", &KernelArgument::size)
        .def("__repr__", [](const KernelArgument& argument) {
            return "<KernelArgument " + argument.type_name + " " + argument.name + ">";
        });

    py::class_<Kernel>(module, "Kernel", "A kernel of a code object.")
        .def_property_readonly("name", [](const Kernel& kernel) { return kernel.info->name; })
        .def_property_readonly("arguments",
                               [](const Kernel& kernel) {
                                   std::vector<KernelArgument> out;
                                   for (const KernelArgument& argument : kernel.info->arguments)
                                       if (!argument.is_hidden()) out.push_back(argument);
                                   return out;
                               })
        .def_property_readonly("group_bytes", [](const Kernel& kernel) { return kernel.info->group_bytes; })
        .def_property_readonly("private_bytes", [](const Kernel& kernel) { return kernel.info->private_bytes; })
        .def("launch", &launch, py::kw_only(), py::arg("grid"), py::arg("group") = py::none(), py::arg("limit") = 0,
             py::arg("group_bytes") = 0,
             "Runs it with these arguments on so many work-items; comes back when it is done. Arrays are used where "
             "they lie.")
        .def("__repr__", [](const Kernel& kernel) { return "<Kernel " + kernel.info->name + ">"; });

    py::class_<Code>(module, "CodeObject", "Code that was loaded into a device.")
        .def_property_readonly("kernels",
                               [](const Code& code) {
                                   std::map<std::string, Kernel> out;
                                   for (const KernelInfo& kernel : code.object->kernels())
                                       out[kernel.name] = {code, &kernel};
                                   return out;
                               })
        .def("__getitem__", [](const Code& code, const std::string& name) {
            const KernelInfo* const kernel = code.object->find_kernel(name);
            if (!kernel) throw py::key_error(name);
            return Kernel{code, kernel};
        });

    py::class_<Device, std::shared_ptr<Device>>(module, "Device", "A device that runs compute kernels for AMD GPUs.")
        .def(py::init<const std::string&, unsigned, const std::string&, const std::string&>(),
             py::arg("processor") = "gfx900", py::kw_only(), py::arg("threads") = 0, py::arg("engine") = "auto",
             py::arg("checks") = "")
        .def_property_readonly("processor", [](Device& device) { return device.device().processor(); })
        .def("load", &load, py::arg("file"), "Loads a code object: its bytes, or a path.")
        .def_property_readonly("findings", [](Device& device) { return device.device().findings(); });
}

}  // namespace isaforge::python
