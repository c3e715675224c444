#include "isa/packed.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <tuple>
#include <type_traits>
#include <unordered_map>

#include "isa/members.hpp"
#include "isa/same.hpp"
#include "support/leb128.hpp"
#include "support/short_lock.hpp"

namespace isaforge {

namespace {

using namespace members;
using semantics::Expression;
using semantics::Function;
using semantics::Statement;
using semantics::TypeAlias;

constexpr unsigned deepest_tree = 2000;  // of structures in one another: more than any description can have

// What is met so often that its bytes are taken as they are.
template <typename T>
constexpr bool is_raw = std::is_same_v<T, Place> || std::is_same_v<T, MnemonicIndex::Mnemonic> ||
                        std::is_same_v<T, MnemonicIndex::Reading> || std::is_same_v<T, MnemonicIndex::Slot> ||
                        std::is_same_v<T, MnemonicIndex::FormFacts> || std::is_same_v<T, DecodeTree::Node> ||
                        std::is_same_v<T, ReadBack::Check> || std::is_same_v<T, ReadBack::Pattern> ||
                        std::is_same_v<T, ReadBack::Stretch> || std::is_same_v<T, ReadBack::FormProof>;

// Whether all bytes of a list of them are.
template <typename T>
constexpr bool is_raw_list = false;
template <typename T>
constexpr bool is_raw_list<std::vector<T>> = is_raw<T> && !std::is_same_v<T, Place>;  // places are moved

// What trees are made of below their roots.
template <typename T>
constexpr bool is_node = std::is_same_v<T, semantics::ExpressionPointer>;

template <typename T>
constexpr bool is_number = std::is_integral_v<T> || std::is_enum_v<T>;

// As an unsigned number that is small where the number is.
template <typename T>
std::uint64_t folded(T value) {
    if constexpr (std::is_enum_v<T>) {
        return static_cast<std::uint64_t>(value);
    } else if constexpr (std::is_signed_v<T>) {
        const auto wide = static_cast<std::int64_t>(value);
        return static_cast<std::uint64_t>(wide) << 1 ^ static_cast<std::uint64_t>(wide >> 63);
    } else {
        return value;
    }
}

template <typename T>
T unfolded(std::uint64_t value) {
    if constexpr (std::is_enum_v<T> || !std::is_signed_v<T>) {
        return static_cast<T>(value);
    } else {
        return static_cast<T>(static_cast<std::int64_t>(value >> 1 ^ (0 - (value & 1))));
    }
}

std::uint32_t word_of(std::string_view bytes, std::size_t index) {
    std::uint32_t word = 0;
    std::memcpy(&word, bytes.data() + index * sizeof word, sizeof word);
    return word;
}

template <typename T>
const T& initial() {
    static const T value{};
    return value;
}

// --- writing ----------------------------------------------------------------------------------------------------------

class Writer {
public:
    explicit Writer(std::map<std::string, std::uint32_t>& trees) : trees_(trees) {}

    std::string run(const Isa& isa) {
        put(isa);
        std::string main;
        main.swap(out_);
        std::apply([&](const auto&... met) { (parts(met.lists), ...); }, met_);
        return std::move(out_) + main;
    }

private:
    // Of which each can be read by itself: how many, how many bytes, where each ends, and they.
    void parts(const std::vector<std::string>& all) {
        std::string bytes;
        std::vector<std::uint32_t> ends;
        for (const std::string& part : all) {
            bytes += part;
            ends.push_back(static_cast<std::uint32_t>(bytes.size()));
        }
        number(ends.size());
        number(bytes.size());
        raw(ends.data(), ends.size() * sizeof(std::uint32_t));
        out_ += bytes;
    }

    template <typename T>
    std::string part(const T& value) {
        std::string outer;
        outer.swap(out_);
        put(value);
        outer.swap(out_);
        return outer;
    }

    void number(std::uint64_t value) {
        std::uint8_t bytes[longest_leb];
        out_.append(reinterpret_cast<const char*>(bytes), put_unsigned_leb(value, bytes));
    }

    void raw(const void* bytes, std::size_t size) { out_.append(static_cast<const char*>(bytes), size); }

    template <typename T>
    void put(const T& value) {
        if constexpr (is_raw<T>) {
            raw(&value, sizeof value);
        } else if constexpr (is_raw_list<T>) {
            number(value.size());
            raw(value.data(), value.size() * sizeof value[0]);
        } else if constexpr (is_rows<T>) {
            std::vector<std::string> rows;
            for (const auto& each : value) rows.push_back(part(each));
            parts(rows);
        } else if constexpr (std::is_same_v<T, Image>) {
            unsigned present = 0;
            for (std::size_t i = 0; i < value.words.size(); ++i) present |= unsigned{value.words[i] != 0} << i;
            number(present);
            for (const std::uint64_t word : value.words) {
                if (word != 0) raw(&word, sizeof word);
            }
        } else if constexpr (std::is_same_v<T, BitPieces>) {
            number(value.size());
            raw(value.begin(), value.size() * sizeof(BitPiece));
        } else if constexpr (HasMembers<T>) {
            structure(value);
        } else if constexpr (is_number<T>) {
            number(folded(value));
        } else if constexpr (std::is_same_v<T, double>) {
            number(std::bit_cast<std::uint64_t>(value));
        } else if constexpr (std::is_same_v<T, std::string>) {
            number(value.size());
            out_ += value;
        } else if constexpr (is_pointer<T>) {
            if constexpr (is_node<T>) {
                if (in_tree_) return branch(value);
            }
            tree(value);
        } else if constexpr (is_optional<T>) {
            put(*value);  // that there is none is what it is by itself
        } else if constexpr (is_pair<T>) {
            put(value.first);
            put(value.second);
        } else if constexpr (is_shared_list<T>) {
            shared(value);
        } else if constexpr (is_array<T>) {
            for (const auto& each : value) put(each);
        } else {
            number(value.size());
            for (const auto& each : value) put(each);
        }
    }

    template <typename T>
    [[gnu::noinline]] void structure(const T& value) {
        std::uint64_t present = 0, bit = 1;
        for_each_member<T>([&](auto member) {
            if (!same(value.*member, initial<T>().*member)) present |= bit;
            bit <<= 1;
        });
        number(present);
        bit = 1;
        for_each_member<T>([&](auto member) {
            if (present & bit) put(value.*member);
            bit <<= 1;
        });
    }

    // The number of a list among those that were met.
    template <typename T>
    void shared(const SharedList<T>& list) {
        Met<T>& met = std::get<Met<T>>(met_);
        const auto [place, fresh] = met.known.try_emplace(list.data(), met.lists.size());
        number(place->second);
        if (!fresh) return;
        met.lists.emplace_back();
        std::string bytes = part(list.list());
        met.lists[place->second] = std::move(bytes);
    }

    // The number of a tree among all, from 1 on; 0: none.
    template <typename T>
    void tree(const std::shared_ptr<const T>& root) {
        if (!root) return number(0);
        const auto known = numbers_.find(root.get());
        if (known != numbers_.end()) return number(known->second);
        in_tree_ = true;
        nodes_.clear();
        std::string bytes = part(*root);
        in_tree_ = false;
        const auto next = static_cast<std::uint32_t>(trees_.size());
        const std::uint64_t found = std::uint64_t{trees_.try_emplace(std::move(bytes), next).first->second} + 1;
        numbers_[root.get()] = found;
        number(found);
    }

    // What hangs in a tree: 0 where nothing does, 1 and what is new, or from 2 on what has been met in it, which has a number.
    void branch(const semantics::ExpressionPointer& node) {
        if (!node) return number(0);
        const auto known = nodes_.find(node.get());
        if (known != nodes_.end()) return number(known->second + 2);
        number(1);
        put(*node);
        const std::size_t next = nodes_.size();
        nodes_[node.get()] = next;
    }

    template <typename T>
    struct Met {
        std::map<const T*, std::size_t> known;
        std::vector<std::string> lists;
    };

    std::string out_;
    std::tuple<Met<Field>, Met<TextTemplate>, Met<Taking>, Met<Naming>, Met<Arrival>> met_;
    std::map<std::string, std::uint32_t>& trees_;
    std::map<const void*, std::uint64_t> numbers_;  // of the roots that were met
    std::map<const void*, std::size_t> nodes_;  // of the tree that is written
    bool in_tree_ = false;
};

// --- reading ----------------------------------------------------------------------------------------------------------

class Reader : public std::enable_shared_from_this<Reader> {
public:
    Reader(std::string_view tree_ends, std::string_view trees, FileId first_file, bool meanings)
        : trees_{tree_ends, trees}, file_bias_(first_file - 1), meanings_(meanings) {}

    // Rows and lists are read when somebody asks for them, which holds this.
    bool run(std::string_view tables, Isa& isa) {
        at_ = reinterpret_cast<const std::uint8_t*>(tables.data());
        end_ = at_ + tables.size();
        std::apply([&](auto&... lists) { (take(lists), ...); }, lists_);
        get(isa);
        if (at_ != end_) fail();
        if (!meanings_) leave_meanings_out(isa);
        return !failed_;
    }
    bool failed() const { return failed_; }

private:
    // Of which each can be read by itself.
    struct Parts {
        std::string_view ends, bytes;
        std::size_t count() const { return ends.size() / sizeof(std::uint32_t); }
    };

    std::string_view take(std::uint64_t size) {
        if (size > static_cast<std::size_t>(end_ - at_)) return fail(), std::string_view();
        const std::string_view taken(reinterpret_cast<const char*>(at_), static_cast<std::size_t>(size));
        at_ += size;
        return taken;
    }
    Parts take_parts() {
        const std::uint64_t count = number(), bytes = number();
        if (count > static_cast<std::size_t>(end_ - at_)) return fail(), Parts{};
        Parts parts;
        parts.ends = take(count * sizeof(std::uint32_t));
        parts.bytes = take(bytes);
        return parts;
    }
    template <typename T>
    void read_part(const Parts& parts, std::size_t which, T& out) {
        if (which >= parts.count()) return fail();
        const std::uint32_t begin = which == 0 ? 0 : word_of(parts.ends, which - 1), end = word_of(parts.ends, which);
        if (begin > end || end > parts.bytes.size()) return fail();
        const auto* const outer = at_;
        const auto* const outer_end = end_;
        read(parts.bytes.substr(begin, end - begin), out);
        at_ = outer;
        end_ = outer_end;
        if (failed_) fail();
    }

    template <typename T>
    struct Lists {
        Parts parts;
        std::vector<std::optional<SharedList<T>>> made;
    };
    template <typename T>
    void take(Lists<T>& lists) {
        lists.parts = take_parts();
        lists.made.resize(lists.parts.count());
    }

    template <typename T>
    void rows(Rows<T>& out) {
        const Parts parts = take_parts();
        out = Rows<T>(parts.count(), [self = shared_from_this(), parts](std::size_t index, T& row) {
            const ShortLock lock(self->mutex_);
            self->read_part(parts, index, row);
        });
    }

    static void leave_meanings_out(Isa& isa) {
        isa.classes.clear();
        isa.hazards.clear();
        isa.durations.clear();
        isa.held.clear();
        isa.functions = {};
    }
    static void leave_meanings_out(Form& form) {
        form.classes = 0;
        form.names_in_meaning = {};
    }
    static void leave_meanings_out(Instruction& instruction) {
        instruction.meaning = nullptr;
        instruction.names_in_meaning = {};
    }

    template <typename T>
    void read(std::string_view bytes, T& out) {
        at_ = reinterpret_cast<const std::uint8_t*>(bytes.data());
        end_ = at_ + bytes.size();
        get(out);
        if (at_ != end_) fail();
    }

    void fail() {
        failed_ = true;
        at_ = end_;
    }

    void raw(void* out, std::size_t size) {
        if (size > static_cast<std::size_t>(end_ - at_)) return fail();
        if (size != 0) std::memcpy(out, at_, size);
        at_ += size;
    }

    std::uint64_t number() {
        if (at_ == end_) return fail(), 0;
        if (*at_ < 0x80) return *at_++;
        return long_number();
    }

    std::uint64_t long_number() {
        std::uint64_t value = *at_++ & 0x7F;
        for (unsigned shift = 7; shift < 64; shift += 7) {
            if (at_ == end_) return fail(), 0;
            const std::uint64_t byte = *at_++;
            value |= (byte & 0x7F) << shift;
            if (byte < 0x80) return value;
        }
        return fail(), 0;
    }

    // Of elements that have a byte at least.
    std::size_t count() {
        const std::uint64_t value = number();
        if (value <= static_cast<std::size_t>(end_ - at_)) return static_cast<std::size_t>(value);
        return fail(), 0;
    }

    template <typename T>
    void get(T& out) {
        if constexpr (is_raw<T>) {
            raw(&out, sizeof out);
            if constexpr (std::is_same_v<T, Place>) out.file += file_bias_;  // nowhere is what a place is by itself
        } else if constexpr (is_raw_list<T>) {
            const std::size_t size = count();
            if (size > static_cast<std::size_t>(end_ - at_) / sizeof out[0]) return fail();
            out.resize(size);
            raw(out.data(), size * sizeof out[0]);
        } else if constexpr (is_rows<T>) {
            rows(out);
        } else if constexpr (std::is_same_v<T, Image>) {
            const std::uint64_t present = number();
            for (std::size_t i = 0; i < out.words.size(); ++i) {
                if (present >> i & 1) raw(&out.words[i], sizeof out.words[i]);
            }
        } else if constexpr (std::is_same_v<T, BitPieces>) {
            const std::size_t size = count();
            if (size > (end_ - at_) / sizeof(BitPiece)) return fail();
            out.resize(size);
            raw(out.begin(), size * sizeof(BitPiece));
        } else if constexpr (HasMembers<T>) {
            structure(out);
        } else if constexpr (is_number<T>) {
            out = unfolded<T>(number());
        } else if constexpr (std::is_same_v<T, double>) {
            out = std::bit_cast<double>(number());
        } else if constexpr (std::is_same_v<T, std::string>) {
            const std::size_t size = count();
            out.assign(reinterpret_cast<const char*>(at_), size);
            at_ += size;
        } else if constexpr (is_pointer<T>) {
            if constexpr (is_node<T>) {
                if (in_tree_) return branch(out);
            }
            tree(out);
        } else if constexpr (is_optional<T>) {
            get(out.emplace());
        } else if constexpr (is_pair<T>) {
            get(out.first);
            get(out.second);
        } else if constexpr (is_shared_list<T>) {
            shared(out);
        } else if constexpr (is_array<T>) {
            for (auto& each : out) get(each);
        } else if constexpr (IsMap<T>) {
            for (std::size_t left = count(); left != 0 && !failed_; --left) {
                std::pair<typename T::key_type, typename T::mapped_type> each;
                get(each);
                out.insert(out.end(), std::move(each));
            }
        } else {
            out.resize(count());
            for (auto& each : out) get(each);
        }
    }

    template <typename T>
    [[gnu::noinline]] void structure(T& out) {  // one function of all would take minutes to compile
        if (++depth_ > deepest_tree) fail();
        if constexpr (std::is_same_v<T, OperandRow>) in_row_ = true;
        const std::uint64_t present = number();
        unsigned bit = 0;
        for_each_member<T>([&](auto member) {
            if (present >> bit++ & 1) get(out.*member);
        });
        if constexpr (std::is_same_v<T, OperandRow>) in_row_ = false;
        if constexpr (std::is_same_v<T, Form> || std::is_same_v<T, Instruction>) {
            if (!meanings_) leave_meanings_out(out);
        }
        --depth_;
    }

    // What stands for the trees that nobody asks for, where it matters that there is one.
    template <typename T>
    static const std::shared_ptr<const T>& unread() {
        static const auto nothing = std::make_shared<const T>();
        return nothing;
    }

    template <typename T>
    void shared(SharedList<T>& out) {
        Lists<T>& lists = std::get<Lists<T>>(lists_);
        const std::uint64_t which = number();
        if (which >= lists.made.size()) return fail();
        if (!lists.made[which]) {
            std::vector<T> list;
            read_part(lists.parts, which, list);
            lists.made[which] = std::move(list);
        }
        out = *lists.made[which];
    }

    template <typename T>
    using Trees = std::unordered_map<std::uint64_t, std::shared_ptr<const T>>;

    template <typename T>
    void tree(std::shared_ptr<const T>& out) {
        const std::uint64_t which = number();
        if (which == 0) return;
        if (!meanings_ && !in_row_) {
            out = unread<T>();
            return;
        }
        std::shared_ptr<const T>& found = std::get<Trees<T>>(trees_met_)[which];
        if (!found) found = read_tree<T>(which - 1);
        out = found;
    }

    template <typename T>
    std::shared_ptr<const T> read_tree(std::uint64_t which) {
        auto root = std::make_shared<T>();
        in_tree_ = true;
        nodes_.clear();
        read_part(trees_, which, *root);
        in_tree_ = false;
        if (failed_) return nullptr;
        return root;
    }

    void branch(semantics::ExpressionPointer& out) {
        const std::uint64_t which = number();
        if (which == 0) return;
        if (which == 1) {
            const auto node = std::make_shared<Expression>();
            get(*node);
            nodes_.push_back(node);
            out = node;
        } else if (which - 2 < nodes_.size()) {
            out = nodes_[which - 2];
        } else {
            fail();
        }
    }

    const Parts trees_;
    const FileId file_bias_;
    const bool meanings_;
    bool in_row_ = false;  // of an operand: what it names is asked for by all
    const std::uint8_t *at_ = nullptr, *end_ = nullptr;
    bool failed_ = false, in_tree_ = false;
    unsigned depth_ = 0;
    std::mutex mutex_;  // for all, from when the model is there
    std::tuple<Lists<Field>, Lists<TextTemplate>, Lists<Taking>, Lists<Naming>, Lists<Arrival>> lists_;
    std::tuple<Trees<Expression>, Trees<std::vector<Statement>>, Trees<Function>, Trees<TypeAlias>> trees_met_;
    std::vector<semantics::ExpressionPointer> nodes_;  // of the tree that is read
};

// Takes a number, or `size` bytes, from the begin; nothing where they are not there.
std::optional<std::uint32_t> take_word(std::string_view& bytes) {
    if (bytes.size() < sizeof(std::uint32_t)) return std::nullopt;
    const std::uint32_t word = word_of(bytes, 0);
    bytes.remove_prefix(sizeof word);
    return word;
}

bool take(std::string_view& bytes, std::uint64_t size, std::string_view& out) {
    if (size > bytes.size()) return false;
    out = bytes.substr(0, static_cast<std::size_t>(size));
    bytes.remove_prefix(out.size());
    return true;
}

bool take_sized(std::string_view& bytes, std::string_view& out) {
    const auto size = take_word(bytes);
    return size && take(bytes, *size, out);
}

}  // namespace

void Packer::add(const Isa& isa, FileId files) {
    models_.push_back({isa.name, isa.variant, isa.dialect, Writer(trees_).run(isa), files});
}

std::string Packer::bytes() const {
    std::string out;
    const auto add = [&](std::size_t value) {
        const auto word = static_cast<std::uint32_t>(value);
        out.append(reinterpret_cast<const char*>(&word), sizeof word);
    };
    add(models_.size());
    for (const Model& model : models_) {
        for (const std::string* const part : {&model.name, &model.variant, &model.dialect, &model.tables}) {
            add(part->size());
            out += *part;
        }
        add(model.files);
    }
    std::vector<const std::string*> trees(trees_.size());
    for (const auto& [tree, number] : trees_) trees[number] = &tree;
    add(trees.size());
    std::size_t end = 0;
    for (const std::string* const tree : trees) add(end += tree->size());
    for (const std::string* const tree : trees) out += *tree;
    return out;
}

PackedModels::PackedModels(std::string_view bytes) {
    const std::uint32_t count = take_word(bytes).value_or(0);
    for (std::uint32_t i = 0; i < count; ++i) {
        Model model;
        bool whole = true;
        for (std::string_view* const part : {&model.name, &model.variant, &model.dialect, &model.tables})
            whole = whole && take_sized(bytes, *part);
        const auto files = take_word(bytes);
        if (!whole || !files) return;
        model.files = *files;
        models_.push_back(model);
    }
    const std::uint32_t trees = take_word(bytes).value_or(0);
    if (!take(bytes, std::uint64_t{trees} * sizeof trees, tree_ends_)) models_.clear();
    trees_ = bytes;
}

const PackedModels::Model* PackedModels::find(std::string_view name, std::string_view variant,
                                              std::string_view dialect) const {
    const auto is_it = [&](const Model& model) {
        const bool named = name == model.name ? variant.empty() || variant == model.variant
                                              : name == model.variant && (variant.empty() || variant == name);
        return named && (dialect.empty() || dialect == model.dialect);
    };
    const auto found = std::find_if(models_.begin(), models_.end(), is_it);
    return found == models_.end() ? nullptr : &*found;
}

bool PackedModels::unpack(const Model& model, FileId first_file, bool meanings, Isa& isa) const {
    return std::make_shared<Reader>(tree_ends_, trees_, first_file, meanings)->run(model.tables, isa);
}

bool PackedModels::unpack_whole(const Model& model, FileId first_file, Isa& isa) const {
    const auto reader = std::make_shared<Reader>(tree_ends_, trees_, first_file, true);
    if (!reader->run(model.tables, isa)) return false;
    const Isa& all = isa;
    static_cast<void>(all.operand_types.begin());
    static_cast<void>(all.instructions.begin());
    static_cast<void>(all.forms.begin());
    static_cast<void>(all.functions.all.begin());
    static_cast<void>(all.decoding.begin());
    static_cast<void>(all.read_back.begin());
    return !reader->failed();
}

}  // namespace isaforge
