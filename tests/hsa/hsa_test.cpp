// The runtime library as its clients see it: agents, memory, signals, queues and their packets, faults, images.
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <numeric>
#include <thread>

#include "hsa/client.hpp"

namespace isaforge::test {
namespace {

constexpr const char* kernels = R"(
#include "items.h"
__kernel void nothing(void) {}
__kernel void store(__global uint *data, uint at, uint value) { data[at] = value; }
__kernel void add(__global uint *data, uint value) { data[global_x()] += value; }
__kernel void wait_for(__global uint *flag, __global uint *answer) {
    while (__atomic_load_n(flag, __ATOMIC_ACQUIRE) == 0) __builtin_amdgcn_s_sleep(1);
    __atomic_store_n(answer, 1, __ATOMIC_RELEASE);
}
__kernel void read_late(__global uint *flag, __global uint *data, __global uint *answer) {
    while (__atomic_load_n(flag, __ATOMIC_ACQUIRE) == 0) __builtin_amdgcn_s_sleep(1);
    answer[0] = data[0];
}
__kernel void lower(__global long *value) { if (global_x() == 0) __atomic_fetch_add(value, -1, __ATOMIC_RELEASE); }
__kernel void of_packet(__global uint *out) {
    out[0] = __builtin_amdgcn_workgroup_size_x();
    out[1] = __builtin_amdgcn_grid_size_x();
}
__global uint variable;
__kernel void of_variable(__global uint *out) { out[0] = ++variable; }
)";

class Hsa : public testing::Test {
protected:
    Hsa() : work(client, compiled(kernels, "gfx900", "-O2 -cl-std=CL2.0")) {}
    Client client;
    Work work;
};

TEST_F(Hsa, AgentsSayWhatTheyAre) {
    char name[64];
    ASSERT_EQ(hsa_agent_get_info(client.gpu, HSA_AGENT_INFO_NAME, name), HSA_STATUS_SUCCESS);
    EXPECT_STREQ(name, "gfx900");
    hsa_isa_t isa{};
    ASSERT_EQ(hsa_agent_get_info(client.gpu, HSA_AGENT_INFO_ISA, &isa), HSA_STATUS_SUCCESS);
    char isa_name[64];
    ASSERT_EQ(hsa_isa_get_info_alt(isa, HSA_ISA_INFO_NAME, isa_name), HSA_STATUS_SUCCESS);
    EXPECT_STREQ(isa_name, "amdgcn-amd-amdhsa--gfx900:xnack-");
    hsa_isa_t same{};
    ASSERT_EQ(hsa_isa_from_name(isa_name, &same), HSA_STATUS_SUCCESS);
    EXPECT_EQ(same.handle, isa.handle);
    std::uint32_t width = 0;
    ASSERT_EQ(hsa_agent_get_info(client.gpu, HSA_AGENT_INFO_WAVEFRONT_SIZE, &width), HSA_STATUS_SUCCESS);
    EXPECT_EQ(width, 64u);
    EXPECT_EQ(hsa_agent_get_info({12345}, HSA_AGENT_INFO_NAME, name), HSA_STATUS_ERROR_INVALID_AGENT);
    EXPECT_EQ(hsa_agent_get_info(client.gpu, static_cast<hsa_agent_info_t>(0x77777), name),
              HSA_STATUS_ERROR_INVALID_ARGUMENT);
    const char* text = nullptr;
    ASSERT_EQ(hsa_status_string(HSA_STATUS_ERROR_INVALID_AGENT, &text), HSA_STATUS_SUCCESS);
    EXPECT_EQ(std::string(text).find("HSA_STATUS_ERROR_INVALID_AGENT"), 0u);
}

TEST_F(Hsa, AKernelRunsAndItsSignalComesToZero) {
    auto* const data = client.allocate<std::uint32_t>(client.device, 64);
    const SignalOf done(1);
    work.dispatch("store", {1, 1, 1}, {1, 1, 1}, done.handle, 0, data, std::uint32_t{5}, std::uint32_t{77});
    ASSERT_TRUE(done.wait_zero());
    EXPECT_EQ(data[5], 77u);
    hsa_amd_profiling_dispatch_time_t time{};
    ASSERT_EQ(hsa_amd_profiling_get_dispatch_time(client.gpu, done.handle, &time), HSA_STATUS_SUCCESS);
    EXPECT_LT(time.start, time.end);
    hsa_amd_memory_pool_free(data);
}

// Each adds to what the one before has left.
// A kernel that frees what it has allocated by itself finds the large page that it lies in by its address.
TEST_F(Hsa, LargePagesBeginAtMultiplesOfTheirSize) {
    constexpr std::size_t large_page = 2 << 20;
    std::vector<std::uint8_t*> all;
    for (const std::size_t bytes : {std::size_t{100}, large_page, large_page + 4096, large_page, std::size_t{3} << 20,
                                    std::size_t{5000}, large_page, large_page}) {
        all.push_back(client.allocate<std::uint8_t>(client.device, bytes));
        if (bytes == large_page) {
            EXPECT_EQ(reinterpret_cast<std::uintptr_t>(all.back()) % large_page, 0u);
        }
        all.back()[0] = all.back()[bytes - 1] = 1;
    }
    for (std::uint8_t* const memory : all) EXPECT_EQ(hsa_amd_memory_pool_free(memory), HSA_STATUS_SUCCESS);
}

// As on a GPU, where it is a part of a large page that is still there.
TEST_F(Hsa, AKernelGoesOnWithASmallAllocationThatIsFreed) {
    auto* const words = client.allocate<std::uint32_t>(client.fine, 2);
    auto* const data = client.allocate<std::uint32_t>(client.device, 1);
    data[0] = 77;
    const SignalOf done(1);
    work.dispatch("read_late", {1, 1, 1}, {1, 1, 1}, done.handle, 0, words, data, words + 1);
    EXPECT_EQ(hsa_amd_memory_pool_free(data), HSA_STATUS_SUCCESS);
    EXPECT_EQ(hsa_amd_memory_pool_free(data), HSA_STATUS_ERROR_INVALID_ALLOCATION);
    __atomic_store_n(words, 1u, __ATOMIC_RELEASE);
    ASSERT_TRUE(done.wait_zero());
    EXPECT_EQ(words[1], 77u);
    // They are not kept without end.
    for (int i = 0; i < 40; ++i) hsa_amd_memory_pool_free(client.allocate<std::uint8_t>(client.device, 1 << 20));
    hsa_amd_memory_pool_free(words);
}

TEST_F(Hsa, PacketsWithTheBarrierBitComeInOrder) {
    auto* const data = client.allocate<std::uint32_t>(client.device, 256);
    const SignalOf done(200);
    for (std::uint32_t i = 0; i < 200; ++i)
        work.dispatch("add", {256, 1, 1}, {64, 1, 1}, done.handle, behind_all, data, i);
    ASSERT_TRUE(done.wait_zero());
    for (std::size_t i = 0; i < 256; ++i) ASSERT_EQ(data[i], 199u * 200 / 2);
    hsa_amd_memory_pool_free(data);
}

// Of one queue, and of the host: what waits lets the others run.
TEST_F(Hsa, KernelsThatWaitLetOthersRun) {
    auto* const flags = client.allocate<std::uint32_t>(client.fine, 4);
    const SignalOf first(1), second(1), third(1);
    work.dispatch("wait_for", {64, 1, 1}, {64, 1, 1}, first.handle, 0, flags, flags + 1);
    work.dispatch("wait_for", {64, 1, 1}, {64, 1, 1}, second.handle, 0, flags + 1, flags + 2);
    work.dispatch("nothing", {64, 1, 1}, {64, 1, 1}, third.handle, 0);
    ASSERT_TRUE(third.wait_zero());
    EXPECT_EQ(first.value(), 1);
    __atomic_store_n(flags, 1u, __ATOMIC_RELEASE);
    ASSERT_TRUE(first.wait_zero());
    ASSERT_TRUE(second.wait_zero());
    EXPECT_EQ(flags[2], 1u);
    hsa_amd_memory_pool_free(flags);
}

TEST_F(Hsa, BarrierPacketsWaitForSignals) {
    const SignalOf a(1), b(1), both(1), either(1), masked(0), with_value(1);
    hsa_barrier_and_packet_t all{};
    all.dep_signal[0] = a.handle;
    all.dep_signal[3] = b.handle;
    all.completion_signal = both.handle;
    work.put(all, HSA_PACKET_TYPE_BARRIER_AND << HSA_PACKET_HEADER_TYPE);
    hsa_barrier_or_packet_t one{};
    one.dep_signal[0] = a.handle;
    one.dep_signal[4] = b.handle;
    one.completion_signal = either.handle;
    work.put(one, HSA_PACKET_TYPE_BARRIER_OR << HSA_PACKET_HEADER_TYPE);
    hsa_amd_barrier_value_packet_t value{};
    value.header.AmdFormat = HSA_AMD_PACKET_TYPE_BARRIER_VALUE;
    value.signal = masked.handle;
    value.mask = 0xf;
    value.value = 3;
    value.cond = HSA_SIGNAL_CONDITION_EQ;
    value.completion_signal = with_value.handle;
    work.put(value, HSA_PACKET_TYPE_VENDOR_SPECIFIC << HSA_PACKET_HEADER_TYPE);
    hsa_signal_store_screlease(b.handle, 0);
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    EXPECT_EQ(both.value(), 1);
    hsa_signal_subtract_scacq_screl(a.handle, 1);
    EXPECT_TRUE(both.wait_zero());
    EXPECT_TRUE(either.wait_zero());
    EXPECT_EQ(with_value.value(), 1);
    hsa_signal_store_relaxed(masked.handle, 0x73);
    EXPECT_TRUE(with_value.wait_zero());
}

// As device libraries do it, by the address of the value.
TEST_F(Hsa, AKernelChangesASignalForWhichTheHostWaits) {
    const SignalOf told(1);
    volatile hsa_signal_value_t* value = nullptr;
    ASSERT_EQ(hsa_amd_signal_value_pointer(told.handle, &value), HSA_STATUS_SUCCESS);
    work.dispatch("lower", {64, 1, 1}, {64, 1, 1}, {0}, 0, value);
    EXPECT_TRUE(told.wait_zero());
}

TEST_F(Hsa, HandlersAreCalledAsOftenAsTheyWant) {
    static std::atomic<int> calls;
    calls = 0;
    const SignalOf signal(0);
    const auto handler = [](hsa_signal_value_t value, void* given) {
        ++calls;
        hsa_signal_store_screlease({*static_cast<std::uint64_t*>(given)}, value - 1);
        return value > 1;
    };
    std::uint64_t handle = signal.handle.handle;
    ASSERT_EQ(hsa_amd_signal_async_handler(signal.handle, HSA_SIGNAL_CONDITION_GTE, 1, handler, &handle),
              HSA_STATUS_SUCCESS);
    hsa_signal_store_screlease(signal.handle, 5);
    EXPECT_TRUE(signal.wait_zero());
    EXPECT_EQ(calls, 5);
}

TEST_F(Hsa, WaitingEndsWithItsTime) {
    const SignalOf never(1), ready(4);
    EXPECT_EQ(hsa_signal_wait_scacquire(never.handle, HSA_SIGNAL_CONDITION_EQ, 0, 2'000'000, HSA_WAIT_STATE_BLOCKED),
              1);
    hsa_signal_t both[] = {never.handle, ready.handle};
    hsa_signal_condition_t conditions[] = {HSA_SIGNAL_CONDITION_EQ, HSA_SIGNAL_CONDITION_LT};
    hsa_signal_value_t values[] = {0, 5}, found = 0;
    EXPECT_EQ(hsa_amd_signal_wait_any(2, both, conditions, values, ~0ull, HSA_WAIT_STATE_BLOCKED, &found), 1u);
    EXPECT_EQ(found, 4);
}

TEST_F(Hsa, CopiesWaitForTheirSignals) {
    constexpr std::size_t size = 1 << 20;
    auto* const data = client.allocate<std::uint8_t>(client.device, size);
    std::vector<std::uint8_t> there(size), back(size);
    std::iota(there.begin(), there.end(), std::uint8_t{3});
    const SignalOf gate(1), first(1), second(1);
    ASSERT_EQ(
        hsa_amd_memory_async_copy(data, client.gpu, there.data(), client.host, size, 1, &gate.handle, first.handle),
        HSA_STATUS_SUCCESS);
    ASSERT_EQ(
        hsa_amd_memory_async_copy(back.data(), client.host, data, client.gpu, size, 1, &first.handle, second.handle),
        HSA_STATUS_SUCCESS);
    EXPECT_EQ(first.value(), 1);
    hsa_signal_store_screlease(gate.handle, 0);
    ASSERT_TRUE(second.wait_zero());
    EXPECT_EQ(back, there);
    hsa_amd_memory_pool_free(data);
}

TEST_F(Hsa, RectanglesAreCopied) {
    std::vector<std::uint8_t> from(20 * 10), to(30 * 10);
    std::iota(from.begin(), from.end(), std::uint8_t{0});
    const hsa_pitched_ptr_t source{from.data(), 20, 200}, target{to.data(), 30, 300};
    const hsa_dim3_t from_offset{2, 1, 0}, to_offset{5, 3, 0}, range{10, 4, 1};
    const SignalOf done(1);
    ASSERT_EQ(hsa_amd_memory_async_copy_rect(&target, &to_offset, &source, &from_offset, &range, client.gpu,
                                             hsaHostToHost, 0, nullptr, done.handle),
              HSA_STATUS_SUCCESS);
    ASSERT_TRUE(done.wait_zero());
    for (std::size_t y = 0; y < 10; ++y)
        for (std::size_t x = 0; x < 30; ++x) {
            const bool inside = x >= 5 && x < 15 && y >= 3 && y < 7;
            ASSERT_EQ(to[y * 30 + x], inside ? from[(y - 2) * 20 + x - 3] : 0) << x << ", " << y;
        }
}

// Clients tell what is the host's by the two addresses.
TEST_F(Hsa, LockedMemoryHasASecondAddressForKernels) {
    std::vector<std::uint32_t> own(64, 1);
    void* address = nullptr;
    ASSERT_EQ(hsa_amd_memory_lock_to_pool(own.data(), 256, nullptr, 0, client.fine, 0, &address), HSA_STATUS_SUCCESS);
    EXPECT_NE(address, own.data());
    for (void* const at : {address, static_cast<void*>(own.data())}) {
        const SignalOf done(1);
        work.dispatch("add", {64, 1, 1}, {64, 1, 1}, done.handle, 0, at, std::uint32_t{20});
        ASSERT_TRUE(done.wait_zero());
    }
    EXPECT_EQ(own, std::vector<std::uint32_t>(64, 41));
    hsa_amd_pointer_info_t info{};
    info.size = sizeof info;
    ASSERT_EQ(hsa_amd_pointer_info(static_cast<char*>(address) + 8, &info, nullptr, nullptr, nullptr),
              HSA_STATUS_SUCCESS);
    EXPECT_EQ(info.type, HSA_EXT_POINTER_TYPE_LOCKED);
    EXPECT_EQ(info.agentBaseAddress, address);
    EXPECT_EQ(info.hostBaseAddress, own.data());
    ASSERT_EQ(hsa_amd_memory_unlock(own.data()), HSA_STATUS_SUCCESS);
    ASSERT_EQ(hsa_amd_pointer_info(address, &info, nullptr, nullptr, nullptr), HSA_STATUS_SUCCESS);
    EXPECT_EQ(info.type, HSA_EXT_POINTER_TYPE_UNKNOWN);
}

TEST_F(Hsa, ExecutablesHaveKernelsAndVariables) {
    std::vector<std::string> names;
    hsa_executable_iterate_symbols(
        work.executable,
        [](hsa_executable_t, hsa_executable_symbol_t symbol, void* data) {
            std::uint32_t length = 0;
            hsa_executable_symbol_get_info(symbol, HSA_EXECUTABLE_SYMBOL_INFO_NAME_LENGTH, &length);
            std::string name(length, ' ');
            hsa_executable_symbol_get_info(symbol, HSA_EXECUTABLE_SYMBOL_INFO_NAME, name.data());
            static_cast<std::vector<std::string>*>(data)->push_back(name);
            return HSA_STATUS_SUCCESS;
        },
        &names);
    EXPECT_NE(std::find(names.begin(), names.end(), "store.kd"), names.end());
    EXPECT_NE(std::find(names.begin(), names.end(), "variable"), names.end());
    EXPECT_EQ(work.kernel("store"), work.kernel("store.kd"));
    hsa_executable_symbol_t none{};
    EXPECT_EQ(hsa_executable_get_symbol_by_name(work.executable, "no such", nullptr, &none),
              HSA_STATUS_ERROR_INVALID_SYMBOL_NAME);

    hsa_executable_symbol_t variable{};
    ASSERT_EQ(hsa_executable_get_symbol_by_name(work.executable, "variable", nullptr, &variable), HSA_STATUS_SUCCESS);
    std::uint32_t* address = nullptr;
    hsa_executable_symbol_get_info(variable, HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_ADDRESS, &address);
    *address = 40;
    auto* const out = client.allocate<std::uint32_t>(client.fine, 1);
    const SignalOf done(1);
    work.dispatch("of_variable", {1, 1, 1}, {1, 1, 1}, done.handle, 0, out);
    ASSERT_TRUE(done.wait_zero());
    EXPECT_EQ(*out, 41u);
    hsa_amd_memory_pool_free(out);
}

// More packets than have place, while kernels still look at those whose place is given again.
TEST_F(Hsa, AQueueGoesRound) {
    auto* const out = client.allocate<std::uint32_t>(client.fine, 2 * 500);
    const SignalOf done(500);
    for (std::uint32_t i = 0; i < 500; ++i)
        work.dispatch("of_packet", {i + 1, 1, 1}, {64, 1, 1}, done.handle, 0, out + 2 * i);
    ASSERT_TRUE(done.wait_zero());
    for (std::uint32_t i = 0; i < 500; ++i) ASSERT_EQ(out[2 * i + 1], i + 1);
    hsa_amd_memory_pool_free(out);
}

// Here the client is the one who works: nobody else takes what is in the queue.
TEST_F(Hsa, ASoftQueueIsTheClients) {
    const SignalOf doorbell(-1), done(1);
    hsa_queue_t* queue = nullptr;
    const hsa_region_t region{client.fine.handle};
    EXPECT_EQ(hsa_soft_queue_create(region, 3, HSA_QUEUE_TYPE_MULTI, HSA_QUEUE_FEATURE_AGENT_DISPATCH, doorbell.handle,
                                    &queue),
              HSA_STATUS_ERROR_INVALID_ARGUMENT);
    ASSERT_EQ(hsa_soft_queue_create(region, 4, HSA_QUEUE_TYPE_MULTI, HSA_QUEUE_FEATURE_AGENT_DISPATCH, doorbell.handle,
                                    &queue),
              HSA_STATUS_SUCCESS);
    EXPECT_EQ(queue->features, static_cast<unsigned>(HSA_QUEUE_FEATURE_AGENT_DISPATCH));
    EXPECT_EQ(queue->doorbell_signal.handle, doorbell.handle.handle);
    auto* const packets = static_cast<hsa_agent_dispatch_packet_t*>(queue->base_address);
    const std::uint64_t place = hsa_queue_add_write_index_screlease(queue, 1);
    packets[place].arg[0] = 77;
    packets[place].completion_signal = done.handle;
    __atomic_store_n(&packets[place].header, HSA_PACKET_TYPE_AGENT_DISPATCH << HSA_PACKET_HEADER_TYPE,
                     __ATOMIC_RELEASE);
    std::thread worker([&] {
        hsa_signal_wait_scacquire(queue->doorbell_signal, HSA_SIGNAL_CONDITION_GTE, 0, ~0ull, HSA_WAIT_STATE_BLOCKED);
        const std::uint64_t next = hsa_queue_load_read_index_scacquire(queue);
        EXPECT_EQ(packets[next].arg[0], 77u);
        hsa_queue_store_read_index_screlease(queue, next + 1);
        hsa_signal_subtract_screlease(packets[next].completion_signal, 1);
    });
    hsa_signal_store_screlease(queue->doorbell_signal, static_cast<std::int64_t>(place));
    EXPECT_TRUE(done.wait_zero());
    worker.join();
    EXPECT_EQ(hsa_queue_load_read_index_scacquire(queue), 1u);
    EXPECT_EQ(hsa_queue_destroy(queue), HSA_STATUS_SUCCESS);
}

// Memory is given in pages, as on a GPU, so that an array of 16 goes on for so many words.
constexpr std::uint32_t in_page = 4096 / sizeof(std::uint32_t);

// Once what the fault was about is known to a handler that takes it.
TEST_F(Hsa, AFaultEndsItsQueueAlone) {
    static std::atomic<std::uint64_t> fault;
    const auto handler = [](const hsa_amd_event_t* event, void*) {
        fault = event->memory_fault.virtual_address;
        return HSA_STATUS_SUCCESS;
    };
    ASSERT_EQ(hsa_amd_register_system_event_handler(handler, nullptr), HSA_STATUS_SUCCESS);
    auto* const data = client.allocate<std::uint32_t>(client.device, 16);
    const SignalOf done(1);
    testing::internal::CaptureStderr();
    work.dispatch("store", {1, 1, 1}, {1, 1, 1}, done.handle, 0, data, in_page, std::uint32_t{77});
    EXPECT_TRUE(done.wait_zero());
    const std::string told = testing::internal::GetCapturedStderr();
    hsa_amd_register_system_event_handler(nullptr, nullptr);
    EXPECT_EQ(fault, reinterpret_cast<std::uint64_t>(data + in_page));
    EXPECT_EQ(work.error, static_cast<int>(HSA_STATUS_ERROR_MEMORY_FAULT));
    EXPECT_NE(told.find("kernel `store`"), std::string::npos) << told;
    EXPECT_NE(told.find("right behind allocation"), std::string::npos) << told;
    EXPECT_NE(told.find("launched by"), std::string::npos) << told;

    Work other(client, compiled(kernels, "gfx900", "-O2 -cl-std=CL2.0"));
    const SignalOf again(1);
    other.dispatch("store", {1, 1, 1}, {1, 1, 1}, again.handle, 0, data, in_page - 1, std::uint32_t{78});
    EXPECT_TRUE(again.wait_zero());
    EXPECT_EQ(data[in_page - 1], 78u);
    hsa_amd_memory_pool_free(data);
}

TEST_F(Hsa, AFaultThatNobodyTakesEndsTheProgram) {
    testing::GTEST_FLAG(death_test_style) = "threadsafe";
    auto* const data = client.allocate<std::uint32_t>(client.device, 16);
    const auto write_outside = [&] {
        const SignalOf done(1);
        work.dispatch("store", {1, 1, 1}, {1, 1, 1}, done.handle, 0, data, in_page, std::uint32_t{77});
        done.wait_zero();
    };
    EXPECT_EXIT(write_outside(), testing::KilledBySignal(SIGABRT), "bad write of 32 bits");
    hsa_amd_memory_pool_free(data);
}

// Though what it does at exit waits for the kernel that has failed.
TEST_F(Hsa, AHandlerOfErrorsEndsTheProgram) {
    testing::GTEST_FLAG(death_test_style) = "threadsafe";
    static std::int64_t never = 1;
    const auto run_nothing = [&] {
        std::atexit([] {
            while (std::atomic_ref(never).load() != 0) ::usleep(1000);
        });
        hsa_queue_t* queue = nullptr;
        const auto ends = [](hsa_status_t status, hsa_queue_t*, void*) {
            std::exit(status == HSA_STATUS_ERROR_INVALID_PACKET_FORMAT ? 7 : 1);
        };
        hsa_queue_create(client.gpu, 64, HSA_QUEUE_TYPE_MULTI, ends, nullptr, ~0u, ~0u, &queue);
        static_cast<hsa_kernel_dispatch_packet_t*>(queue->base_address)->workgroup_size_x = 0;
        hsa_queue_store_write_index_screlease(queue, 1);
        std::atomic_ref(static_cast<hsa_kernel_dispatch_packet_t*>(queue->base_address)->header)
            .store(HSA_PACKET_TYPE_KERNEL_DISPATCH << HSA_PACKET_HEADER_TYPE);
        hsa_signal_store_screlease(queue->doorbell_signal, 0);
        for (;;) ::pause();
    };
    EXPECT_EXIT(run_nothing(), testing::ExitedWithCode(7), "a group has 1 to");
}

TEST_F(Hsa, NothingCanBeUsedWhenAllHaveShutDown) {
    EXPECT_EQ(hsa_init(), HSA_STATUS_SUCCESS);
    EXPECT_EQ(hsa_shut_down(), HSA_STATUS_SUCCESS);
    std::uint64_t frequency = 0;
    EXPECT_EQ(hsa_system_get_info(HSA_SYSTEM_INFO_TIMESTAMP_FREQUENCY, &frequency), HSA_STATUS_SUCCESS);
    EXPECT_EQ(hsa_shut_down(), HSA_STATUS_SUCCESS);  // that of the fixture
    EXPECT_EQ(hsa_system_get_info(HSA_SYSTEM_INFO_TIMESTAMP_FREQUENCY, &frequency), HSA_STATUS_ERROR_NOT_INITIALIZED);
    EXPECT_EQ(hsa_shut_down(), HSA_STATUS_ERROR_NOT_INITIALIZED);
    EXPECT_EQ(hsa_init(), HSA_STATUS_SUCCESS);
    EXPECT_EQ(hsa_system_get_info(HSA_SYSTEM_INFO_TIMESTAMP_FREQUENCY, &frequency), HSA_STATUS_SUCCESS);
}

// As LLVM's OpenMP does, whose plug-in has destroyed by then what it would put its answers into.
TEST(HsaLate, NobodyBeginsAtTheVeryEnd) {
    const char* const late_client = ISAFORGE_BINARY_DIR "/tests/hsa_late_client";
    EXPECT_EXIT(::execl(late_client, late_client, ISAFORGE_BINARY_DIR "/gpu/libhsa-runtime64.so.1", nullptr),
                testing::ExitedWithCode(7), "");
}

TEST_F(Hsa, SeveralThreadsUseItAtOnce) {
    std::vector<std::thread> threads;
    for (unsigned t = 0; t < 4; ++t)
        threads.emplace_back([&] {
            Work own(client, compiled(kernels, "gfx900", "-O2 -cl-std=CL2.0"));
            for (std::uint32_t i = 0; i < 50; ++i) {
                auto* const data = client.allocate<std::uint32_t>(client.device, 64);
                const SignalOf done(2);
                own.dispatch("add", {64, 1, 1}, {64, 1, 1}, done.handle, 0, data, i);
                own.dispatch("add", {64, 1, 1}, {64, 1, 1}, done.handle, behind_all, data, std::uint32_t{1});
                ASSERT_TRUE(done.wait_zero());
                ASSERT_EQ(data[63], i + 1);
                hsa_amd_memory_pool_free(data);
            }
        });
    for (std::thread& thread : threads) thread.join();
}

TEST_F(Hsa, AChildOfForkIsTold) {
    const pid_t child = ::fork();
    if (child == 0) {
        ::close(STDERR_FILENO);
        ::_exit(hsa_init() == HSA_STATUS_ERROR_INVALID_RUNTIME_STATE ? 7 : 1);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(WEXITSTATUS(status), 7);
}

TEST_F(Hsa, AChildOfForkDoesNotWriteIntoItsParentsMemory) {
    auto* const data = client.allocate<std::uint32_t>(client.fine, 1);
    data[0] = 5;
    const pid_t child = ::fork();
    if (child == 0) {
        ::close(STDERR_FILENO);
        data[0] = 6;
        ::_exit(0);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_NE(status, 0);
    EXPECT_EQ(data[0], 5u);
    hsa_amd_memory_pool_free(data);
}

// What the other process finds of the first one's in its environment, and does to it.
void use_what_is_shared(const Client& client, Work& work, const std::string& given) {
    hsa_amd_ipc_memory_t handles[2];
    ASSERT_EQ(given.size(), 2 * sizeof handles);
    for (std::size_t i = 0; i < sizeof handles; ++i)
        reinterpret_cast<std::uint8_t*>(handles)[i] =
            static_cast<std::uint8_t>(std::stoi(given.substr(2 * i, 2), nullptr, 16));
    void* memory = nullptr;
    EXPECT_EQ(hsa_amd_ipc_memory_attach(handles, 4097, 1, &client.gpu, &memory), HSA_STATUS_ERROR_INVALID_ARGUMENT);
    ASSERT_EQ(hsa_amd_ipc_memory_attach(handles, 4096, 1, &client.gpu, &memory), HSA_STATUS_SUCCESS);
    hsa_signal_t told{};
    ASSERT_EQ(hsa_amd_ipc_signal_attach(handles + 1, &told), HSA_STATUS_SUCCESS);
    hsa_amd_pointer_info_t info{};
    info.size = sizeof info;
    ASSERT_EQ(hsa_amd_pointer_info(memory, &info, nullptr, nullptr, nullptr), HSA_STATUS_SUCCESS);
    EXPECT_EQ(info.type, HSA_EXT_POINTER_TYPE_IPC);
    EXPECT_EQ(static_cast<std::uint32_t*>(memory)[1023], 5u);
    work.dispatch("add", {1024, 1, 1}, {64, 1, 1}, told, 0, memory, std::uint32_t{7});
    EXPECT_EQ(hsa_signal_wait_scacquire(told, HSA_SIGNAL_CONDITION_EQ, 0, ~0ull, HSA_WAIT_STATE_BLOCKED), 0);
    EXPECT_EQ(static_cast<std::uint32_t*>(memory)[0], 100u);
    EXPECT_EQ(hsa_signal_destroy(told), HSA_STATUS_SUCCESS);
    EXPECT_EQ(hsa_amd_memory_pool_free(memory), HSA_STATUS_ERROR_INVALID_ALLOCATION);
    EXPECT_EQ(hsa_amd_ipc_memory_detach(memory), HSA_STATUS_SUCCESS);
    EXPECT_EQ(hsa_amd_ipc_memory_detach(memory), HSA_STATUS_ERROR_INVALID_ARGUMENT);
}

// The other process is this program once more, which finds what it is given, and runs this test alone.
TEST_F(Hsa, ProcessesShareMemoryAndSignals) {
    constexpr const char* variable = "ISAFORGE_TEST_SHARED";
    if (const char* const given = std::getenv(variable)) return use_what_is_shared(client, work, given);
    auto* const data = client.allocate<std::uint32_t>(client.device, 1024);
    std::fill(data, data + 1024, 5u);
    hsa_signal_t told{};
    ASSERT_EQ(hsa_amd_signal_create(2, 0, nullptr, HSA_AMD_SIGNAL_IPC, &told), HSA_STATUS_SUCCESS);
    hsa_amd_ipc_memory_t handles[2];
    EXPECT_EQ(hsa_amd_ipc_memory_create(data + 1, 4092, handles), HSA_STATUS_ERROR_INVALID_ARGUMENT);
    ASSERT_EQ(hsa_amd_ipc_memory_create(data, 4096, handles), HSA_STATUS_SUCCESS);
    ASSERT_EQ(hsa_amd_ipc_signal_create(told, handles + 1), HSA_STATUS_SUCCESS);
    std::string given;
    for (std::size_t i = 0; i < sizeof handles; ++i)
        given += fmt::format("{:02x}", reinterpret_cast<const std::uint8_t*>(handles)[i]);
    const pid_t child = ::fork();
    if (child == 0) {
        ::setenv(variable, given.c_str(), 1);
        ::execl("/proc/self/exe", "test_hsa", "--gtest_filter=Hsa.ProcessesShareMemoryAndSignals", nullptr);
        ::_exit(1);
    }
    EXPECT_EQ(hsa_signal_wait_scacquire(told, HSA_SIGNAL_CONDITION_EQ, 1, 60'000'000'000, HSA_WAIT_STATE_BLOCKED), 1);
    for (std::size_t i = 0; i < 1024; ++i) ASSERT_EQ(data[i], 12u);
    data[0] = 100;
    hsa_signal_subtract_screlease(told, 1);
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
    hsa_signal_destroy(told);
    hsa_amd_memory_pool_free(data);
    reinterpret_cast<std::uint8_t*>(handles)[8] ^= 1;   // a file that is not there
    void* none = nullptr;
    EXPECT_EQ(hsa_amd_ipc_memory_attach(handles, 4096, 0, nullptr, &none), HSA_STATUS_ERROR_INVALID_ARGUMENT);
}

TEST_F(Hsa, ImagesTakeAndGiveRegions) {
    hsa_ext_image_descriptor_t about{};
    about.geometry = HSA_EXT_IMAGE_GEOMETRY_2D;
    about.width = 20;
    about.height = 10;
    about.format = {HSA_EXT_IMAGE_CHANNEL_TYPE_UNORM_INT8, HSA_EXT_IMAGE_CHANNEL_ORDER_RGBA};
    hsa_ext_image_data_info_t size{};
    ASSERT_EQ(hsa_ext_image_data_get_info(client.gpu, &about, HSA_ACCESS_PERMISSION_RW, &size), HSA_STATUS_SUCCESS);
    auto* const data = client.allocate<std::uint8_t>(client.device, size.size);
    hsa_ext_image_t image{};
    ASSERT_EQ(hsa_ext_image_create(client.gpu, &about, data, HSA_ACCESS_PERMISSION_RW, &image), HSA_STATUS_SUCCESS);
    std::vector<std::uint32_t> texels(6 * 3), back(6 * 3);
    std::iota(texels.begin(), texels.end(), 1u);
    const hsa_ext_image_region_t region{{4, 5, 0}, {6, 3, 1}};
    ASSERT_EQ(hsa_ext_image_import(client.gpu, texels.data(), 0, 0, image, &region), HSA_STATUS_SUCCESS);
    ASSERT_EQ(hsa_ext_image_export(client.gpu, image, back.data(), 0, 0, &region), HSA_STATUS_SUCCESS);
    EXPECT_EQ(back, texels);
    std::uint32_t texel = 0;
    std::memcpy(&texel, data + 6 * 256 + 5 * 4, 4);   // rows are multiples of 256 bytes
    EXPECT_EQ(texel, 8u);
    const hsa_ext_image_region_t outside{{4, 8, 0}, {6, 3, 1}};
    EXPECT_EQ(hsa_ext_image_import(client.gpu, texels.data(), 0, 0, image, &outside),
              HSA_STATUS_ERROR_INVALID_ARGUMENT);
    about.format.channel_type = HSA_EXT_IMAGE_CHANNEL_TYPE_UNORM_INT24;
    // A number: an extension's status is none of the values that the type has in C++.
    EXPECT_EQ(static_cast<unsigned>(hsa_ext_image_data_get_info(client.gpu, &about, HSA_ACCESS_PERMISSION_RW, &size)),
              static_cast<unsigned>(HSA_EXT_STATUS_ERROR_IMAGE_FORMAT_UNSUPPORTED));
    EXPECT_EQ(hsa_ext_image_destroy(client.gpu, image), HSA_STATUS_SUCCESS);
    hsa_amd_memory_pool_free(data);
}

// The texel, of so many bytes, that an image of one type and order has where it was cleared with these components.
template <typename T>
std::uint64_t cleared(const Client& client, hsa_ext_image_channel_type32_t type, hsa_ext_image_channel_order32_t order,
                      std::size_t bytes, const std::array<T, 4>& components) {
    hsa_ext_image_descriptor_t about{};
    about.geometry = HSA_EXT_IMAGE_GEOMETRY_2D;
    about.width = about.height = 4;
    about.format = {type, order};
    auto* const data = client.allocate<std::uint8_t>(client.device, 4096);
    std::memset(data, 0, 4096);
    hsa_ext_image_t image{};
    EXPECT_EQ(hsa_ext_image_create(client.gpu, &about, data, HSA_ACCESS_PERMISSION_RW, &image), HSA_STATUS_SUCCESS);
    const hsa_ext_image_region_t region{{1, 2, 0}, {2, 1, 1}};
    EXPECT_EQ(hsa_ext_image_clear(client.gpu, image, components.data(), &region), HSA_STATUS_SUCCESS);
    std::array<std::uint64_t, 3> texels{};
    const hsa_ext_image_region_t around{{0, 2, 0}, {4, 1, 1}};
    std::vector<std::uint8_t> row(64);
    EXPECT_EQ(hsa_ext_image_export(client.gpu, image, row.data(), 0, 0, &around), HSA_STATUS_SUCCESS);
    for (std::size_t i = 0; i < 3; ++i) std::memcpy(&texels[i], row.data() + i * bytes, bytes);
    EXPECT_EQ(texels[0], 0u);
    EXPECT_EQ(texels[1], texels[2]);
    hsa_ext_image_destroy(client.gpu, image);
    hsa_amd_memory_pool_free(data);
    return texels[1];
}

TEST_F(Hsa, ImagesAreCleared) {
    using Floats = std::array<float, 4>;
    const Floats floats{1, 0.5f, -3, 0.2f};
    EXPECT_EQ(cleared(client, HSA_EXT_IMAGE_CHANNEL_TYPE_UNORM_INT8, HSA_EXT_IMAGE_CHANNEL_ORDER_RGBA, 4, floats),
              0x330080ffu);
    EXPECT_EQ(cleared(client, HSA_EXT_IMAGE_CHANNEL_TYPE_UNORM_INT8, HSA_EXT_IMAGE_CHANNEL_ORDER_BGRA, 4, floats),
              0x33ff8000u);
    EXPECT_EQ(cleared(client, HSA_EXT_IMAGE_CHANNEL_TYPE_SNORM_INT8, HSA_EXT_IMAGE_CHANNEL_ORDER_RGBA, 4, floats),
              0x1981407fu);
    EXPECT_EQ(cleared(client, HSA_EXT_IMAGE_CHANNEL_TYPE_UNORM_SHORT_565, HSA_EXT_IMAGE_CHANNEL_ORDER_RGB, 2, floats),
              0xfc00u);
    EXPECT_EQ(cleared(client, HSA_EXT_IMAGE_CHANNEL_TYPE_HALF_FLOAT, HSA_EXT_IMAGE_CHANNEL_ORDER_RGBA, 8, floats),
              0x3266c20038003c00u);
    EXPECT_EQ(cleared(client, HSA_EXT_IMAGE_CHANNEL_TYPE_FLOAT, HSA_EXT_IMAGE_CHANNEL_ORDER_R, 4, floats), 0x3f800000u);
    EXPECT_EQ(cleared(client, HSA_EXT_IMAGE_CHANNEL_TYPE_SIGNED_INT8, HSA_EXT_IMAGE_CHANNEL_ORDER_RGBA, 4,
                      std::array<std::int32_t, 4>{5, -6, 300, -300}),
              0x807ffa05u);
    EXPECT_EQ(hsa_ext_image_clear(client.gpu, {}, floats.data(), nullptr), HSA_STATUS_ERROR_INVALID_ARGUMENT);
}

TEST_F(Hsa, CodeObjectsSayWhatIsInThem) {
    std::vector<std::uint8_t> bytes = compiled(kernels, "gfx900", "-O2 -cl-std=CL2.0");
    hsa_code_object_t object{};
    ASSERT_EQ(hsa_code_object_deserialize(bytes.data(), bytes.size(), nullptr, &object), HSA_STATUS_SUCCESS);
    hsa_isa_t isa{}, own{};
    EXPECT_EQ(hsa_code_object_get_info(object, HSA_CODE_OBJECT_INFO_ISA, &isa), HSA_STATUS_SUCCESS);
    hsa_agent_get_info(client.gpu, HSA_AGENT_INFO_ISA, &own);
    EXPECT_EQ(isa.handle, own.handle);
    hsa_code_symbol_t symbol{};
    ASSERT_EQ(hsa_code_object_get_symbol(object, "store", &symbol), HSA_STATUS_SUCCESS);
    std::uint32_t arguments = 0;
    EXPECT_EQ(hsa_code_symbol_get_info(symbol, HSA_CODE_SYMBOL_INFO_KERNEL_KERNARG_SEGMENT_SIZE, &arguments),
              HSA_STATUS_SUCCESS);
    EXPECT_GE(arguments, 16u);
    ASSERT_EQ(hsa_code_object_get_symbol_from_name(object, nullptr, "variable", &symbol), HSA_STATUS_SUCCESS);
    std::uint32_t size = 0;
    EXPECT_EQ(hsa_code_symbol_get_info(symbol, HSA_CODE_SYMBOL_INFO_VARIABLE_SIZE, &size), HSA_STATUS_SUCCESS);
    EXPECT_EQ(size, 4u);
    EXPECT_EQ(hsa_code_object_get_symbol(object, "no such", &symbol), HSA_STATUS_ERROR_INVALID_SYMBOL_NAME);
    unsigned symbols = 0;
    const auto count = [](hsa_code_object_t, hsa_code_symbol_t, void* counted) {
        ++*static_cast<unsigned*>(counted);
        return HSA_STATUS_SUCCESS;
    };
    EXPECT_EQ(hsa_code_object_iterate_symbols(object, count, &symbols), HSA_STATUS_SUCCESS);
    EXPECT_EQ(symbols, 9u);   // eight kernels and a variable
    void* copy = nullptr;
    std::size_t copied = 0;
    const auto take = [](std::size_t wanted, hsa_callback_data_t, void** place) {
        *place = std::malloc(wanted);
        return HSA_STATUS_SUCCESS;
    };
    ASSERT_EQ(hsa_code_object_serialize(object, take, {}, nullptr, &copy, &copied), HSA_STATUS_SUCCESS);
    ASSERT_EQ(copied, bytes.size());
    EXPECT_EQ(std::memcmp(copy, bytes.data(), copied), 0);
    std::free(copy);

    hsa_executable_t executable{};
    hsa_executable_create(HSA_PROFILE_BASE, HSA_EXECUTABLE_STATE_UNFROZEN, nullptr, &executable);
    EXPECT_EQ(hsa_executable_load_code_object(executable, client.gpu, object, nullptr), HSA_STATUS_SUCCESS);
    hsa_executable_symbol_t loaded{};
    EXPECT_EQ(hsa_executable_get_symbol_by_name(executable, "store", &client.gpu, &loaded), HSA_STATUS_SUCCESS);
    EXPECT_EQ(hsa_executable_load_program_code_object(executable, {object.handle}, nullptr, nullptr),
              HSA_STATUS_ERROR_INCOMPATIBLE_ARGUMENTS);
    hsa_executable_destroy(executable);
    EXPECT_EQ(hsa_code_object_destroy(object), HSA_STATUS_SUCCESS);
    bytes[0] = 0;
    ASSERT_EQ(hsa_code_object_deserialize(bytes.data(), bytes.size(), nullptr, &object), HSA_STATUS_SUCCESS);
    EXPECT_EQ(hsa_code_object_get_symbol(object, "store", &symbol), HSA_STATUS_ERROR_INVALID_CODE_OBJECT);
    hsa_code_object_destroy(object);
}

}  // namespace
}  // namespace isaforge::test
