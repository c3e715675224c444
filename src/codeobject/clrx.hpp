// The directives of sources for CLRX: what such a source says about the device, the format and each kernel. Its code
// becomes an object of version 2 of the format, with the settings in the header before each kernel; for Mesa's format in
// .AMDGPU.config; raw code stays alone.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "codeobject/kernel_code.hpp"
#include "object/flavour.hpp"

namespace isaforge::codeobject {

class ClrxSource {
public:
    ClrxSource(const Isa& isa, AssemblerHost& host) : isa_(isa), host_(host) {}

    // Carries out one of these directives; false where there is none of this name.
    bool directive(std::string_view name, Place where);
    static std::vector<std::string_view> directive_names();

    // What `.ifarch`, `.ifgpu`, `.iffmt`, `.if32` and `.if64` ask; nothing where there is no such device.
    std::optional<bool> condition(std::string_view what, std::string_view operand) const;

    // The highest registers that instructions have named since the last call, -1 for none.
    void used(std::int64_t vector, std::int64_t scalar);

    bool has_kernels() const { return !kernels_.empty(); }
    void finish();                                          // at the end of the source
    void complete(const Target& target, Object& object);    // the headers
    bool has_headers() const { return format_ != Format::none && format_ != Format::raw && format_ != Format::gallium; }

private:
    enum class Format : std::uint8_t { none, raw, catalyst, amdcl2, rocm, gallium };
    struct Kernel {
        std::string name;
        bool header_made = false;  // by `.kernel`, not by the source
        std::optional<std::uint32_t> rsrc1, rsrc2, sgprs, vgprs, user_data;
        std::uint32_t float_mode = 0xC0, priority = 0, local_size = 0, scratch = 0, exceptions = 0;
        std::uint32_t group_dims = 0, local_dims = 0;  // bits
        bool ieee = false, dx10_clamp = false, debug = false, privileged = false, tg_size = false;
        std::uint32_t user_flags = 0, feature_flags = 0;
        std::uint64_t kernarg_size = 0, kernarg_alignment = 16;
        std::int64_t highest_vector = -1, highest_scalar = -1;
    };
    struct Number {
        std::string_view name;
        void (*set)(Kernel&, std::uint64_t);
    };
    struct Switch {
        std::string_view name;
        void (*set)(Kernel&);
    };
    static std::span<const Number> numbers();
    static std::span<const Switch> switches();

    bool format_directive(std::string_view name);
    void device(Place where, bool architecture);
    void kernel(Place where);
    void register_variables();
    void dimensions();
    bool section_directive(std::string_view name);
    bool setting(std::string_view name, Place where);
    Kernel* current(std::string_view name, Place where);
    std::uint32_t rsrc1(const Kernel& kernel) const;
    std::uint32_t rsrc2(const Kernel& kernel) const;
    std::uint32_t scalar_registers(const Kernel& kernel) const;
    std::uint32_t vector_registers(const Kernel& kernel) const;
    KernelCode header(const Kernel& kernel, const Target& target) const;

    const Isa& isa_;
    AssemblerHost& host_;
    Format format_ = Format::none;
    bool wide_ = true, hsa_layout_ = false;
    std::string device_;
    std::vector<Kernel> kernels_;
    std::size_t current_ = SIZE_MAX;
};

}  // namespace isaforge::codeobject
