// The algorithms of rocPRIM, compiled for one type of elements, against the standard library: TYPE says which, a number in the
// list below, since compilers take long over these headers. The arguments are sizes.
//
// Groups of a scan wait for what those before them have found, and sorts go over the data several times: what has to come
// together here is more than in most programs.
#include <hip/hip_runtime.h>

#include <hip/hip_fp16.h>
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <numeric>
#include <random>
#include <rocprim/rocprim.hpp>
#include <type_traits>
#include <vector>

#define BOTH __host__ __device__

/// Elements that are no numbers: functions x -> factor * x + term, whose composition depends on the order.
struct Affine {
    std::uint32_t factor, term;
    std::uint16_t mark;
    BOTH bool operator==(const Affine& other) const {
        return factor == other.factor && term == other.term && mark == other.mark;
    }
};

template <int number>
struct TypeOf;
#define TYPE_IS(number, type, text)               \
    template <>                                   \
    struct TypeOf<number> {                       \
        using Type = type;                        \
        static constexpr const char* name = text; \
    }
TYPE_IS(0, std::int8_t, "int8");
TYPE_IS(1, std::uint8_t, "uint8");
TYPE_IS(2, std::int16_t, "int16");
TYPE_IS(3, std::uint16_t, "uint16");
TYPE_IS(4, std::int32_t, "int32");
TYPE_IS(5, std::uint32_t, "uint32");
TYPE_IS(6, std::int64_t, "int64");
TYPE_IS(7, std::uint64_t, "uint64");
TYPE_IS(8, float, "float");
TYPE_IS(9, double, "double");
TYPE_IS(10, __half, "half");
TYPE_IS(11, Affine, "struct");

constexpr const char* type_name = TypeOf<TYPE>::name;

// What the algorithms are told to do with two elements. Sums of the real numbers below are exact in any order; half has too few
// bits for that, and gets the larger one.
struct Add {
    BOTH Affine operator()(const Affine& a, const Affine& b) const {
        return {a.factor + b.factor, a.term + b.term, static_cast<std::uint16_t>(a.mark + b.mark)};
    }
    BOTH __half operator()(__half a, __half b) const { return __half2float(a) < __half2float(b) ? b : a; }
    template <typename N>
    BOTH std::enable_if_t<std::is_floating_point<N>::value, N> operator()(N a, N b) const {
        return a + b;
    }
    template <typename N>
    BOTH std::enable_if_t<std::is_integral<N>::value, N> operator()(N a, N b) const {
        return static_cast<N>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
    }
};

struct Compose : Add {  // first a, then b
    using Add::operator();
    BOTH Affine operator()(const Affine& a, const Affine& b) const {
        return {a.factor * b.factor, a.term * b.factor + b.term, static_cast<std::uint16_t>(a.mark ^ b.mark)};
    }
};

struct Less {
    BOTH bool operator()(const Affine& a, const Affine& b) const { return a.factor < b.factor; }
    BOTH bool operator()(__half a, __half b) const { return __half2float(a) < __half2float(b); }
    template <typename N>
    BOTH bool operator()(N a, N b) const {
        return a < b;
    }
};

struct Chosen {
    BOTH bool operator()(const Affine& a) const { return a.mark % 3 == 0; }
    BOTH bool operator()(__half a) const { return __half2float(a) > 10; }
    template <typename N>
    BOTH bool operator()(N a) const {
        return a > N(10);
    }
};

template <typename T>
T element(std::uint64_t random) {
    if constexpr (std::is_same<T, Affine>::value)
        return {static_cast<std::uint32_t>(random) % 5000 * 2 + 1, static_cast<std::uint32_t>(random >> 32),
                static_cast<std::uint16_t>(random >> 20)};
    else if constexpr (std::is_integral<T>::value)
        return static_cast<T>(random >> 7);
    else
        return static_cast<T>(static_cast<float>(static_cast<int>(random % 4001) - 2000) / 8);
}

template <typename T>
std::vector<T> elements(std::size_t count) {
    std::mt19937_64 random(count);
    std::vector<T> all(count);
    for (T& value : all) value = element<T>(random());
    return all;
}

template <typename T>
bool equal(const T& a, const T& b) {
    return std::memcmp(&a, &b, std::is_same<T, Affine>::value ? 10 : sizeof a) == 0;
}

static void must(hipError_t error, const char* call) {
    if (error == hipSuccess) return;
    std::printf("%s: %s\n", call, hipGetErrorString(error));
    std::exit(1);
}
#define MUST(call) must(call, #call)

template <typename E>
class Array {
public:
    explicit Array(std::size_t count) : count_(count) { MUST(hipMalloc(&data_, count * sizeof(E) + 1)); }
    explicit Array(const std::vector<E>& content) : Array(content.size()) {
        MUST(hipMemcpy(data_, content.data(), count_ * sizeof(E), hipMemcpyHostToDevice));
    }
    ~Array() { static_cast<void>(hipFree(data_)); }
    Array(const Array&) = delete;
    Array& operator=(const Array&) = delete;
    E* get() const { return data_; }
    std::vector<E> content() const {
        std::vector<E> copy(count_);
        MUST(hipMemcpy(copy.data(), data_, count_ * sizeof(E), hipMemcpyDeviceToHost));
        return copy;
    }

private:
    E* data_ = nullptr;
    std::size_t count_;
};

/// Calls an algorithm twice: how much scratch it wants, and in earnest.
template <typename Call>
static void perform(const Call& call) {
    std::size_t bytes = 0;
    MUST(call(nullptr, bytes));
    const Array<char> scratch(bytes);
    MUST(call(scratch.get(), bytes));
    MUST(hipDeviceSynchronize());
}

static std::size_t results, wrong;

static void judge(const char* what, std::size_t size, bool right) {
    ++results;
    if (right) return;
    ++wrong;
    std::printf("%s of %zu %s is wrong\n", what, size, type_name);
}

template <typename E>
static bool same(const std::vector<E>& a, const std::vector<E>& b, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i)
        if (!equal(a[i], b[i])) return false;
    return true;
}

template <typename T>
class Tests {
public:
    explicit Tests(std::size_t size) : size_(size), input_(elements<T>(size)), device_(input_) {}

    void reduce() const {
        const T initial = element<T>(12345);
        const Array<T> result(1);
        perform([&](void* scratch, std::size_t& bytes) {
            return rocprim::reduce(scratch, bytes, device_.get(), result.get(), initial, size_, Add());
        });
        judge("reduce", size_,
              equal(result.content()[0], std::accumulate(input_.begin(), input_.end(), initial, Add())));
    }

    void scans() const {
        const Array<T> result(size_);
        std::vector<T> expected(size_);
        perform([&](void* scratch, std::size_t& bytes) {
            return rocprim::inclusive_scan(scratch, bytes, device_.get(), result.get(), size_, Compose());
        });
        std::partial_sum(input_.begin(), input_.end(), expected.begin(), Compose());
        judge("inclusive_scan", size_, same(result.content(), expected, size_));

        T sum = element<T>(54321);
        perform([&](void* scratch, std::size_t& bytes) {
            return rocprim::exclusive_scan(scratch, bytes, device_.get(), result.get(), sum, size_, Compose());
        });
        for (std::size_t i = 0; i < size_; ++i) {
            expected[i] = sum;
            sum = Compose()(sum, input_[i]);
        }
        judge("exclusive_scan", size_, same(result.content(), expected, size_));
    }

    void sorts() const {
        std::vector<std::uint32_t> order(size_);
        std::iota(order.begin(), order.end(), 0);
        const Array<std::uint32_t> values(order), sorted_values(size_);
        const Array<T> sorted(size_);
        std::stable_sort(order.begin(), order.end(),
                         [&](std::uint32_t a, std::uint32_t b) { return Less()(input_[a], input_[b]); });
        const std::vector<T> expected = in_order(order);

        perform([&](void* scratch, std::size_t& bytes) {
            return rocprim::merge_sort(scratch, bytes, device_.get(), sorted.get(), size_, Less());
        });
        judge("merge_sort of keys", size_, same(sorted.content(), expected, size_));
        perform([&](void* scratch, std::size_t& bytes) {
            return rocprim::merge_sort(scratch, bytes, device_.get(), sorted.get(), values.get(), sorted_values.get(),
                                       size_, Less());
        });
        judge("merge_sort of pairs", size_,
              same(sorted.content(), expected, size_) && same(sorted_values.content(), order, size_));

        if constexpr (is_number || std::is_same<T, __half>::value) {
            perform([&](void* scratch, std::size_t& bytes) {
                return rocprim::radix_sort_keys(scratch, bytes, device_.get(), sorted.get(), size_);
            });
            judge("radix_sort_keys", size_, same(sorted.content(), expected, size_));
            perform([&](void* scratch, std::size_t& bytes) {
                return rocprim::radix_sort_pairs(scratch, bytes, device_.get(), sorted.get(), values.get(),
                                                 sorted_values.get(), size_);
            });
            judge("radix_sort_pairs", size_,
                  same(sorted.content(), expected, size_) && same(sorted_values.content(), order, size_));
        }
    }

    void select() const {
        const Array<T> result(size_);
        const Array<unsigned> count(1);
        perform([&](void* scratch, std::size_t& bytes) {
            return rocprim::select(scratch, bytes, device_.get(), result.get(), count.get(), size_, Chosen());
        });
        std::vector<T> expected;
        std::copy_if(input_.begin(), input_.end(), std::back_inserter(expected), Chosen());
        judge("select", size_,
              count.content()[0] == expected.size() && same(result.content(), expected, expected.size()));
    }

    void run_lengths() const {
        std::vector<T> runs, expected;
        std::vector<unsigned> expected_lengths;
        for (std::size_t i = 0; runs.size() < size_; ++i) {
            const std::size_t length = std::min<std::size_t>(i * i % 23 + (i % 50 == 0 ? 500 : 1), size_ - runs.size());
            if (i > 0 && equal(input_[i], input_[i - 1]))
                expected_lengths.back() += static_cast<unsigned>(length);
            else {
                expected.push_back(input_[i]);
                expected_lengths.push_back(static_cast<unsigned>(length));
            }
            runs.insert(runs.end(), length, input_[i]);
        }
        const Array<T> device_runs(runs), result(size_);
        const Array<unsigned> lengths(size_), count(1);
        perform([&](void* scratch, std::size_t& bytes) {
            return rocprim::run_length_encode(scratch, bytes, device_runs.get(), static_cast<unsigned>(size_),
                                              result.get(), lengths.get(), count.get());
        });
        judge("run_length_encode", size_,
              count.content()[0] == expected.size() && same(result.content(), expected, expected.size()) &&
                  same(lengths.content(), expected_lengths, expected.size()));
    }

    void histogram() const {
        if constexpr (is_number) {
            constexpr unsigned bins = 10;
            const T width = T(12), lower = T(std::is_signed<T>::value ? -60 : 0), upper = T(lower + T(width * bins));
            std::vector<unsigned> expected(bins);
            for (const T value : input_)
                if (value >= lower && value < upper) ++expected[static_cast<std::size_t>((value - lower) / width)];
            const Array<unsigned> result(bins);
            perform([&](void* scratch, std::size_t& bytes) {
                return rocprim::histogram_even(scratch, bytes, device_.get(), static_cast<unsigned>(size_),
                                               result.get(), bins + 1, lower, upper);
            });
            judge("histogram_even", size_, result.content() == expected);
        }
    }

private:
    std::vector<T> in_order(const std::vector<std::uint32_t>& order) const {
        std::vector<T> result;
        result.reserve(size_);
        for (const std::uint32_t i : order) result.push_back(input_[i]);
        return result;
    }

    static constexpr bool is_number = std::is_arithmetic<T>::value;

    std::size_t size_;
    std::vector<T> input_;
    Array<T> device_;
};

int main(int count, char** arguments) {
    for (int i = 1; i < count; ++i) {
        const Tests<TypeOf<TYPE>::Type> tests(std::strtoull(arguments[i], nullptr, 10));
        tests.reduce();
        tests.scans();
        tests.sorts();
        tests.select();
        tests.run_lengths();
        tests.histogram();
    }
    if (wrong == 0)
        std::printf("rocprim %s: %zu results, all as on the host\n", type_name, results);
    else
        std::printf("rocprim %s: WRONG: %zu of %zu results differ from the host's\n", type_name, wrong, results);
    return wrong != 0;
}
