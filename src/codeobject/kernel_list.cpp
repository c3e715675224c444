#include "codeobject/kernel_list.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "codeobject/metadata.hpp"
#include "codeobject/notes.hpp"

namespace isaforge::codeobject {

namespace {

using Json = nlohmann::json;

// Keys of version 2, and of those since; a null pointer where there is none.
struct Key {
    const char* old;
    const char* now;
};

class Reader {
public:
    explicit Reader(bool is_old) : is_old_(is_old) {}

    const Json& list(const Json& map, Key key) const {
        static const Json none = Json::array();
        const Json* found = find(map, key);
        return found != nullptr && found->is_array() ? *found : none;
    }
    std::string text(const Json& map, Key key) const {
        const Json* found = find(map, key);
        return found != nullptr && found->is_string() ? found->get<std::string>() : std::string{};
    }
    std::uint64_t number(const Json& map, Key key, std::uint64_t otherwise = 0) const {
        const Json* found = find(map, key);
        return found != nullptr && found->is_number_unsigned() ? found->get<std::uint64_t>() : otherwise;
    }
    bool is_true(const Json& map, Key key) const {
        const Json* found = find(map, key);
        return found != nullptr && found->is_boolean() && found->get<bool>();
    }
    KernelMetadata kernel(const Json& map) const;

private:
    const Json* find(const Json& map, Key key) const {
        const char* const name = is_old_ ? key.old : key.now;
        const auto found = name != nullptr && map.is_object() ? map.find(name) : map.end();
        return found == map.end() ? nullptr : &*found;
    }
    KernelArgument argument(const Json& map, std::uint64_t& end) const;
    void sizes(const Json& map, KernelInfo& info) const;

    bool is_old_;
};

// "GlobalBuffer" of version 2 as "global_buffer".
std::string newer_name(std::string_view old) {
    std::string name;
    for (const char c : old) {
        const bool capital = c >= 'A' && c <= 'Z';
        if (capital && !name.empty()) name += '_';
        name += capital ? static_cast<char>(c - 'A' + 'a') : c;
    }
    return name;
}

// Arguments of version 2 have no offsets: each begins where the one before ends, and is aligned.
KernelArgument Reader::argument(const Json& map, std::uint64_t& end) const {
    KernelArgument argument;
    argument.name = text(map, {"Name", ".name"});
    argument.type_name = text(map, {"TypeName", ".type_name"});
    argument.size = number(map, {"Size", ".size"});
    const std::uint64_t alignment = std::max<std::uint64_t>(1, number(map, {"Align", nullptr}, 1));
    argument.offset = is_old_ ? (end + alignment - 1) / alignment * alignment : number(map, {nullptr, ".offset"});
    end = argument.offset + argument.size;
    const std::string kind = text(map, {"ValueKind", ".value_kind"});
    argument.value_kind = is_old_ ? newer_name(kind) : kind;
    argument.address_space = text(map, {"AddrSpaceQual", ".address_space"});
    std::ranges::transform(argument.address_space, argument.address_space.begin(),
                           [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
    argument.is_const = is_true(map, {"IsConst", ".is_const"});
    return argument;
}

void Reader::sizes(const Json& map, KernelInfo& info) const {
    static const Json none = Json::object();
    const auto found = is_old_ ? map.find("CodeProps") : map.end();
    const Json& from = is_old_ ? (found == map.end() ? none : *found) : map;
    info.kernarg_bytes = number(from, {"KernargSegmentSize", ".kernarg_segment_size"});
    info.kernarg_alignment = number(from, {"KernargSegmentAlign", ".kernarg_segment_align"}, 8);
    info.group_bytes = static_cast<std::uint32_t>(number(from, {"GroupSegmentFixedSize", ".group_segment_fixed_size"}));
    info.private_bytes =
        static_cast<std::uint32_t>(number(from, {"PrivateSegmentFixedSize", ".private_segment_fixed_size"}));
    info.scalar_registers = static_cast<unsigned>(number(from, {"NumSGPRs", ".sgpr_count"}));
    info.vector_registers = static_cast<unsigned>(number(from, {"NumVGPRs", ".vgpr_count"}));
    info.most_items = static_cast<unsigned>(number(from, {"MaxFlatWorkGroupSize", ".max_flat_workgroup_size"}));
}

KernelMetadata Reader::kernel(const Json& map) const {
    KernelMetadata made;
    KernelInfo& info = made.info;
    info.name = text(map, {"Name", ".name"});
    made.symbol = text(map, {"SymbolName", ".symbol"});
    if (is_old_ && made.symbol.ends_with("@kd")) made.symbol.resize(made.symbol.size() - 3);
    info.has_metadata = true;
    info.language = text(map, {"Language", ".language"});
    sizes(map, info);
    static const Json none = Json::object();
    const auto attributes = is_old_ ? map.find("Attrs") : map.end();
    const Json& required = list(is_old_ ? (attributes == map.end() ? none : *attributes) : map,
                                {"ReqdWorkGroupSize", ".reqd_workgroup_size"});
    std::uint32_t* const places[] = {&info.required_group.x, &info.required_group.y, &info.required_group.z};
    for (std::size_t i = 0; i < 3 && required.size() == 3; ++i)
        if (required[i].is_number_unsigned()) *places[i] = required[i].get<std::uint32_t>();
    std::uint64_t end = 0;
    for (const Json& each : list(map, {"Args", ".args"})) info.arguments.push_back(argument(each, end));
    return made;
}

std::string_view text_of(const Note& note) {
    return {reinterpret_cast<const char*>(note.content.data()), note.content.size()};
}

}  // namespace

std::optional<ObjectMetadata> read_object_metadata(const Object& object) {
    for (const Section& section : object.sections) {
        if (!section.note) continue;
        const auto notes = read_notes(section.bytes);
        if (!notes) continue;
        for (const Note& note : *notes) {
            const bool is_old =
                note.owner == owner_v2 && note.type == static_cast<std::uint32_t>(NoteType::metadata_v2);
            const bool is_new = note.owner == owner_v3 && note.type == static_cast<std::uint32_t>(NoteType::metadata);
            Json root;
            if (!(is_old && read_metadata(text_of(note), root)) && !(is_new && read_metadata(note.content, root)))
                continue;
            ObjectMetadata made;
            const Reader reader(is_old);
            for (const Json& kernel : reader.list(root, {"Kernels", "amdhsa.kernels"}))
                made.kernels.push_back(reader.kernel(kernel));
            for (const Json& format : reader.list(root, {"Printf", "amdhsa.printf"}))
                if (format.is_string()) made.printf_formats.push_back(format.get<std::string>());
            return made;
        }
    }
    return std::nullopt;
}

}  // namespace isaforge::codeobject
