// All flavours of objects, by name.
#include <algorithm>

#include "codeobject/assembly.hpp"
#include "codeobject/disassembly.hpp"
#include "codeobject/relocations.hpp"
#include "codeobject/target.hpp"
#include "object/flavour.hpp"

namespace isaforge {

namespace codeobject {

namespace {

class Amdgpu final : public ObjectFlavour {
public:
    std::string_view name() const override { return "amdgpu"; }

    std::string_view isa_of(const Object& object) const override {
        const std::optional<Target> target = target_of(object);
        return target ? target->processor->variant : std::string_view();
    }

    std::span<const std::string_view> modifiers() const override { return modifier_texts(); }

    std::optional<LinkedNumber> linked(unsigned modifier, unsigned bits, bool in_instruction, bool relative,
                                       bool branch) const override {
        return find_relocation(modifier, bits, in_instruction, relative, branch);
    }
    std::optional<LinkedNumber> linked(std::uint32_t type) const override { return find_relocation(type); }

    std::uint32_t code_padding() const override {
        constexpr std::uint32_t s_nop = 0xBF800000;  // the same in all generations
        return s_nop;
    }

    std::unique_ptr<AssemblyFlavour> assembly(const Isa& isa, std::string_view target, AssemblerHost& host,
                                              std::string& error) const override {
        return make_assembly(isa, target, host, error);
    }
    std::unique_ptr<DisassemblyFlavour> disassembly(const Codec&, const Object& object) const override {
        return make_disassembly(object);
    }
};

}  // namespace

}  // namespace codeobject

std::span<const ObjectFlavour* const> object_flavours() {
    static const codeobject::Amdgpu amdgpu;
    static const ObjectFlavour* const all[] = {&amdgpu};
    return all;
}

const ObjectFlavour* object_flavour(std::string_view name) {
    const auto all = object_flavours();
    const auto found = std::ranges::find(all, name, &ObjectFlavour::name);
    return found == all.end() ? nullptr : *found;
}

}  // namespace isaforge
