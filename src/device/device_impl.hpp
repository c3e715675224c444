// A device as its files share it: the dispatcher that runs wavefronts, memory, code objects.
#pragma once

#include <condition_variable>
#include <map>
#include <mutex>
#include <unordered_map>

#include "codeobject/loading.hpp"
#include "debugger/program_map.hpp"
#include "device/compute_abi.hpp"
#include "isaforge/device.hpp"
#include "machine/dispatcher.hpp"
#include "support/guarded_pages.hpp"

namespace isaforge::device {

// The registers that a wavefront begins with, by the description's names.
struct RegisterNames {
    explicit RegisterNames(const Isa& isa);
    Index scalar, vector, exec, mode, status, group_bytes, private_memory, group_base, group_limit, private_base,
        private_limit;
};

class Implementation;
struct Start;

class LoadedObject final : public CodeObject, public std::enable_shared_from_this<LoadedObject> {
public:
    LoadedObject(Implementation& device, codeobject::LoadImage image, std::string name);
    ~LoadedObject() override;

    // False, with the reason in `error`, where it cannot be placed.
    bool place(const CodeObjectOptions& options, std::string& error);

    std::uint64_t base() const override { return base_; }
    std::uint64_t bytes() const override { return image_.bytes.size(); }
    const std::vector<KernelInfo>& kernels() const override { return kernels_; }
    const KernelInfo* find_kernel(std::string_view name) const override;
    std::optional<Variable> find_symbol(std::string_view name) const override;
    std::vector<Symbol> symbols() const override;

    bool has_header(std::uint64_t kernel_object) const;
    std::string source_line(std::uint64_t address) const { return map_.line_text(address); }
    const Object& object() const override { return image_.object; }
    const std::vector<std::string>& printf_formats() const { return image_.printf_formats; }

private:
    std::uint64_t address_of(const codeobject::LoadSymbol& symbol) const {
        return symbol.value + (symbol.absolute ? 0 : base_);
    }

    Implementation& device_;
    codeobject::LoadImage image_;
    std::string name_;
    debugger::ProgramMap map_;
    std::uint64_t base_ = 0;
    std::uint8_t* memory_ = nullptr;
    std::vector<KernelInfo> kernels_;
};

// The code objects that are loaded, for addresses that come from anywhere.
class ObjectTable {
public:
    void add(const LoadedObject& object);
    void remove(const LoadedObject& object);
    // With `use` called while it is there for sure; false where there is none at the address.
    bool with_object_at(std::uint64_t address, const std::function<void(const LoadedObject&)>& use) const;

private:
    mutable std::mutex lock_;
    std::map<std::uint64_t, const LoadedObject*> objects_;   // by base
};

class Implementation : public ComputeDevice {
public:
    Implementation(std::shared_ptr<const Codec> codec, const codeobject::Processor& processor,
                   const DeviceOptions& options);
    ~Implementation() override;

    const std::string& processor() const override { return processor_name_; }
    unsigned threads() const override { return dispatcher_->threads(); }
    unsigned resident_wavefronts() const override { return dispatcher_->resident_harts(); }
    unsigned most_wavefronts() const override { return dispatcher_->most_waiting_harts(); }
    std::uint32_t most_group_bytes() const override { return device::most_group_bytes(generation_); }

    FlatApertures flat_apertures() const override { return apertures_of(generation_); }

    std::string register_memory(std::span<std::uint8_t> memory, Permissions permissions, std::string name,
                                std::optional<std::uint64_t> address = {}) override;
    void unregister_memory(std::uint64_t address, std::uint64_t bytes) override;
    std::uint8_t* allocate(std::uint64_t bytes, std::string name) override;
    void release(std::uint8_t* memory) override;
    std::shared_ptr<const CodeObject> load(std::span<const std::uint8_t> bytes, const CodeObjectOptions& options,
                                           std::string& error) override;
    std::shared_ptr<Launch> launch(const LaunchRequest& request, std::string& error) override;
    std::shared_ptr<Launch> dispatch(const DispatchPacket& packet, std::string& error) override;
    std::unique_ptr<Inspection> inspect(const LaunchRequest& request, MachineOptions options,
                                        std::string& error) override;
    EngineFigures engine_figures() const override { return dispatcher_->engine_figures(); }
    std::vector<Finding> findings() const override { return dispatcher_->findings(); }
    void note_unwritten(std::span<const std::uint8_t> memory) override {
        dispatcher_->note_unwritten(reinterpret_cast<std::uint64_t>(memory.data()), memory.size(), false);
    }
    void note_unordered(std::span<const std::uint8_t> memory) override {
        dispatcher_->note_unordered(reinterpret_cast<std::uint64_t>(memory.data()), memory.size());
    }
    void note_written(std::span<const std::uint8_t> memory) override {
        dispatcher_->note_written(reinterpret_cast<std::uint64_t>(memory.data()), memory.size());
    }

    // Of code addresses.
    std::function<std::string(std::uint64_t)> source_lines() const;
    unsigned generation() const { return generation_; }
    const RegisterNames& registers() const { return registers_; }
    machine::Dispatcher& dispatcher() { return *dispatcher_; }
    ObjectTable& objects() { return objects_; }
    const codeobject::Processor& about() const { return about_; }

    // Private memory for wavefronts, so many bytes for each that lives; it is given back when the launch has ended.
    std::shared_ptr<GuardedPages> take_scratch(std::uint64_t bytes);
    void give_scratch(std::shared_ptr<GuardedPages> pages);
    // A few pages for what a launch needs beside its arguments.
    std::shared_ptr<GuardedPages> take_block(std::uint64_t bytes);
    void give_block(std::shared_ptr<GuardedPages> pages);

private:
    bool fill_start(const LaunchRequest& request, Start& what, std::string& error);
    std::shared_ptr<GuardedPages> take_from(std::vector<std::shared_ptr<GuardedPages>>& pool, std::uint64_t bytes,
                                            const char* name);
    void give_to(std::vector<std::shared_ptr<GuardedPages>>& pool, std::shared_ptr<GuardedPages> pages);

    const codeobject::Processor& about_;
    std::string processor_name_;
    unsigned generation_;
    RegisterNames registers_;
    ObjectTable objects_;
    mutable std::mutex lock_;
    std::unordered_map<std::uint8_t*, std::unique_ptr<GuardedPages>> allocated_;
    std::vector<std::shared_ptr<GuardedPages>> scratch_, blocks_;   // that no launch has
    std::unique_ptr<machine::Dispatcher> dispatcher_;
};

// Begins what a packet asks for; `keep` lives as long as it runs. printf's text is read by `printed` when it has ended.
struct Start {
    DispatchPacket packet;
    std::shared_ptr<void> keep;
    std::function<std::string()> printed;
    std::function<void(const LaunchState&)> fill;   // what lies in memory for it, once that is known
};
std::shared_ptr<Launch> start(Implementation& device, Start what, std::string& error);
std::unique_ptr<Inspection> inspect(Implementation& device, Start what, MachineOptions options, std::string& error);

// What was printed into a buffer of printf's, by the formats of a code object.
std::string printed_text(std::span<const std::uint8_t> buffer, const std::vector<std::string>& formats);

}  // namespace isaforge::device
