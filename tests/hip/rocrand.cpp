// Debian's rocRAND, whose kernels come with its library for some targets, against the algorithms that it says it has, as their
// authors published them:
//
//     xorwow      Marsaglia, "Xorshift RNGs", 2003; a stream for each engine, 2^67 numbers apart
//     mrg32k3a    L'Ecuyer, "Good parameters and implementations for combined multiple recursive random number generators",
//                 1999; a stream for each engine, 2^76 numbers apart as L'Ecuyer proposes, though rocRAND calls it 2^67
//     mtgp32      Saito and Matsumoto, "Variants of Mersenne Twister suitable for graphic processors", 2013; the parameters of
//                 its 512 generators, which are a table of 200 kB, are read from rocRAND's headers
//     philox      Salmon and others, "Parallel random numbers: as easy as 1, 2, 3", 2011
//     sobol32     Joe and Kuo, "Constructing Sobol sequences with better two-dimensional projections", 2008
//
// What is rocRAND's own is how seeds become states, and which numbers of which stream are where: as its headers say, and for
// the generators of its library 2^17 streams in turn.
#include <hip/hip_runtime.h>

#include <rocrand/rocrand.h>
#include <rocrand/rocrand_mtgp32.h>
#include <rocrand/rocrand_mtgp32_11213.h>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

using Numbers = std::vector<std::uint32_t>;

constexpr std::size_t engines = 1 << 17;  // of xorwow, mrg32k3a and mtgp32

static void must(int status, const char* call) {
    if (status == 0) return;
    std::printf("%s: error %d\n", call, status);
    std::exit(1);
}
#define MUST(call) must(static_cast<int>(call), #call)

// ---- xorwow: 160 bits through which ones are shifted, and a counter that is added

struct Xorwow {
    using Bits = std::array<std::uint32_t, 5>;
    Bits x;
    std::uint32_t d;

    explicit Xorwow(std::uint64_t seed) : x{123456789, 362436069, 521288629, 88675123, 5783321}, d(6615241) {
        const std::uint32_t low = 1228688033U * (static_cast<std::uint32_t>(seed) ^ 0x2c7f967f);
        const std::uint32_t high = 2073658381U * (static_cast<std::uint32_t>(seed >> 32) ^ 0xa03697cb);
        x[0] += low, x[1] ^= low, x[2] += high, x[3] ^= high, x[4] += low;
        d += low + high;
    }

    static Bits shifted(Bits x) {
        const std::uint32_t t = x[0] ^ x[0] >> 2;
        return {x[1], x[2], x[3], x[4], x[4] ^ x[4] << 4 ^ t ^ t << 1};
    }

    std::uint32_t next() {
        x = shifted(x);
        d += 362437;
        return d + x[4];
    }
};

/// Some number of steps of the 160 bits at once: what becomes of each of them.
class Jump {
public:
    /// 2 to the power of so many steps.
    explicit Jump(int power) : columns_(160) {
        for (std::size_t bit = 0; bit < 160; ++bit) {
            Xorwow::Bits one = {};
            one[bit / 32] = 1U << bit % 32;
            columns_[bit] = Xorwow::shifted(one);
        }
        for (int i = 0; i < power; ++i) {
            std::vector<Xorwow::Bits> twice(160);
            for (std::size_t bit = 0; bit < 160; ++bit) twice[bit] = of(columns_[bit]);
            columns_ = twice;
        }
    }

    Xorwow::Bits of(const Xorwow::Bits& x) const {
        Xorwow::Bits sum = {};
        for (std::size_t bit = 0; bit < 160; ++bit)
            if ((x[bit / 32] >> bit % 32 & 1) != 0)
                for (std::size_t word = 0; word < 5; ++word) sum[word] ^= columns_[bit][word];
        return sum;
    }

private:
    std::vector<Xorwow::Bits> columns_;
};

static Numbers xorwow(std::uint64_t seed, std::size_t count) {
    const Jump jump(67);  // adds a multiple of 2^32 to the counter
    Numbers numbers(count);
    Xorwow stream(seed);
    for (std::size_t first = 0; first < engines && first < count; ++first) {
        Xorwow engine = stream;
        for (std::size_t i = first; i < count; i += engines) numbers[i] = engine.next();
        stream.x = jump.of(stream.x);
    }
    return numbers;
}

// ---- mrg32k3a: two linear recurrences of three terms, each modulo a prime

using Row = std::array<std::uint64_t, 3>;
using Matrix = std::array<Row, 3>;

static Row times(const Matrix& matrix, const Row& row, std::uint64_t modulus) {
    Row result = {};
    for (std::size_t i = 0; i < 3; ++i)
        for (std::size_t k = 0; k < 3; ++k) result[i] = (result[i] + matrix[i][k] * row[k] % modulus) % modulus;
    return result;
}

static Matrix power_of_two(Matrix matrix, int power, std::uint64_t modulus) {
    for (int i = 0; i < power; ++i) {
        Matrix square = {};
        for (std::size_t column = 0; column < 3; ++column) {
            const Row product = times(matrix, {matrix[0][column], matrix[1][column], matrix[2][column]}, modulus);
            for (std::size_t row = 0; row < 3; ++row) square[row][column] = product[row];
        }
        matrix = square;
    }
    return matrix;
}

constexpr std::uint64_t m1 = 4294967087, m2 = 4294944443;
constexpr Matrix first_step = {{{0, 1, 0}, {0, 0, 1}, {m1 - 810728, 1403580, 0}}};
constexpr Matrix second_step = {{{0, 1, 0}, {0, 0, 1}, {m2 - 1370589, 0, 527612}}};

/// Of a seed of 32 bits: with more of them, products overflow in rocRAND.
static Numbers mrg32k3a(std::uint64_t seed, std::size_t count) {
    const std::uint64_t x = static_cast<std::uint32_t>(seed) ^ 0x55555555U;
    const std::uint64_t y = static_cast<std::uint32_t>(seed >> 32) ^ 0xaaaaaaaaU;
    const auto product = [&](std::uint64_t a, std::uint64_t modulus) { return a * seed % modulus; };
    Row first = {product(x, m1), product(y, m1), product(x, m1)};
    Row second = {product(y, m2), product(x, m2), product(y, m2)};
    const Matrix first_jump = power_of_two(first_step, 76, m1), second_jump = power_of_two(second_step, 76, m2);

    Numbers numbers(count);
    for (std::size_t begin = 0; begin < engines && begin < count; ++begin) {
        Row a = first, b = second;
        for (std::size_t i = begin; i < count; i += engines) {
            a = times(first_step, a, m1);
            b = times(second_step, b, m2);
            const std::uint64_t difference = a[2] > b[2] ? a[2] - b[2] : a[2] + m1 - b[2];  // 1 to m1
            numbers[i] =
                static_cast<std::uint32_t>(static_cast<double>(difference - 1) * 1.000000048661607);  // to 32 bits
        }
        first = times(first_jump, first, m1);
        second = times(second_jump, second, m2);
    }
    return numbers;
}

// ---- mtgp32: a Mersenne twister for each group of 256 work-items

static Numbers mtgp32_stream(const mtgp32_params_fast_t& parameters, std::uint32_t seed, std::size_t count) {
    const std::size_t size = static_cast<std::size_t>(parameters.mexp) / 32 + 1;
    const std::uint32_t hidden = parameters.tbl[4] ^ parameters.tbl[8] << 16;
    std::uint32_t fill = hidden;
    fill += fill >> 16;
    fill += fill >> 8;
    std::vector<std::uint32_t> x(size + count, (fill & 0xff) * 0x01010101U);
    x[0] = seed;
    x[1] = hidden;
    for (std::size_t i = 1; i < size; ++i)
        x[i] ^= 1812433253U * (x[i - 1] ^ x[i - 1] >> 30) + static_cast<std::uint32_t>(i);

    Numbers numbers(count);
    const std::size_t position = static_cast<std::size_t>(parameters.pos);
    for (std::size_t i = 0; i < count; ++i) {
        std::uint32_t mixed = (x[i] & parameters.mask) ^ x[i + 1];
        mixed ^= mixed << parameters.sh1;
        const std::uint32_t y = mixed ^ x[i + position] >> parameters.sh2;
        x[i + size] = y ^ parameters.tbl[y & 15];
        std::uint32_t t = x[i + position - 1];
        t ^= t >> 16;
        t ^= t >> 8;
        numbers[i] = x[i + size] ^ parameters.tmp_tbl[t & 15];
    }
    return numbers;
}

static Numbers mtgp32(std::uint64_t seed, std::size_t count) {
    Numbers numbers(count);
    const std::uint32_t folded = static_cast<std::uint32_t>(seed ^ seed >> 32);
    for (std::uint32_t group = 0; group < engines / 256; ++group) {
        const Numbers stream =
            mtgp32_stream(mtgp32dc_params_fast_11213[group], folded + group + 1, (count + engines - 1) / engines * 256);
        for (std::size_t i = 0; i < stream.size(); ++i) {
            const std::size_t at = i / 256 * engines + group * 256 + i % 256;
            if (at < count) numbers[at] = stream[i];
        }
    }
    return numbers;
}

// ---- philox: a counter in, a number out

static std::array<std::uint32_t, 4> philox_block(std::uint64_t seed, std::uint64_t block) {
    std::array<std::uint32_t, 4> c = {static_cast<std::uint32_t>(block), static_cast<std::uint32_t>(block >> 32), 0, 0};
    std::uint32_t k0 = static_cast<std::uint32_t>(seed), k1 = static_cast<std::uint32_t>(seed >> 32);
    for (int round = 0; round < 10; ++round) {
        const std::uint64_t a = 0xd2511f53ULL * c[0], b = 0xcd9e8d57ULL * c[2];
        c = {static_cast<std::uint32_t>(b >> 32) ^ c[1] ^ k0, static_cast<std::uint32_t>(b),
             static_cast<std::uint32_t>(a >> 32) ^ c[3] ^ k1, static_cast<std::uint32_t>(a)};
        k0 += 0x9e3779b9;
        k1 += 0xbb67ae85;
    }
    return c;
}

static Numbers philox(std::uint64_t seed, std::size_t count) {
    Numbers numbers(count);
    for (std::size_t i = 0; i < count; ++i) numbers[i] = philox_block(seed, i / 4)[i % 4];
    return numbers;
}

// ---- sobol32: points in several dimensions, of which each coordinate fills its interval evenly

struct Polynomial {  // and the first of the numbers that it is the recurrence of
    unsigned degree, coefficients;
    std::uint32_t m[5];
};

constexpr std::size_t dimensions = 10;
constexpr Polynomial polynomials[dimensions - 1] = {
    {1, 0, {1}},
    {2, 1, {1, 3}},
    {3, 1, {1, 3, 1}},
    {3, 2, {1, 1, 1}},
    {4, 1, {1, 1, 3, 3}},
    {4, 4, {1, 3, 5, 13}},
    {5, 2, {1, 1, 5, 5, 17}},
    {5, 4, {1, 1, 5, 5, 5}},
    {5, 7, {1, 1, 7, 11, 19}},
};

static std::array<std::uint32_t, 32> directions(std::size_t dimension) {
    std::array<std::uint32_t, 32> v = {};
    for (unsigned i = 0; i < 32; ++i) {
        if (dimension == 0) {
            v[i] = 1U << (31 - i);
            continue;
        }
        const Polynomial& p = polynomials[dimension - 1];
        if (i < p.degree) {
            v[i] = p.m[i] << (31 - i);
            continue;
        }
        v[i] = v[i - p.degree] ^ v[i - p.degree] >> p.degree;
        for (unsigned k = 1; k < p.degree; ++k)
            if ((p.coefficients >> (p.degree - 1 - k) & 1) != 0) v[i] ^= v[i - k];
    }
    return v;
}

static Numbers sobol32(std::uint64_t, std::size_t count) {
    const std::size_t points = count / dimensions;
    Numbers numbers(count);
    for (std::size_t dimension = 0; dimension < dimensions; ++dimension) {
        const std::array<std::uint32_t, 32> v = directions(dimension);
        for (std::size_t i = 0; i < points; ++i)
            for (unsigned bit = 0; bit < 32; ++bit)
                if (((i ^ i >> 1) >> bit & 1) != 0)  // Gray's code of the point
                    numbers[dimension * points + i] ^= v[bit];
    }
    return numbers;
}

// ---- the library

static std::size_t wrong_of(const char* name, std::size_t count, std::size_t wrong, std::size_t first) {
    if (wrong != 0)
        std::printf("%s: %zu of %zu numbers are not those of the algorithm, the first of them number %zu\n", name,
                    wrong, count, first);
    return wrong;
}

template <typename T>
static std::size_t compare(const char* name, const T* device, const std::vector<T>& expected) {
    std::vector<T> found(expected.size());
    MUST(hipMemcpy(found.data(), device, found.size() * sizeof(T), hipMemcpyDeviceToHost));
    std::size_t wrong = 0, first = 0;
    for (std::size_t i = found.size(); i-- > 0;) {
        if (found[i] == expected[i]) continue;
        ++wrong;
        first = i;
    }
    return wrong_of(name, found.size(), wrong, first);
}

/// So many numbers of a generator with one seed.
static std::size_t test(const char* name, rocrand_rng_type type, Numbers (*algorithm)(std::uint64_t, std::size_t),
                        std::uint64_t seed, std::size_t count) {
    rocrand_generator generator;
    MUST(rocrand_create_generator(&generator, type));
    const bool quasi = type == ROCRAND_RNG_QUASI_SOBOL32;
    if (quasi)
        MUST(rocrand_set_quasi_random_generator_dimensions(generator, dimensions));
    else
        MUST(rocrand_set_seed(generator, seed));
    std::uint32_t* device;
    MUST(hipMalloc(&device, count * sizeof *device));
    MUST(rocrand_generate(generator, device, count));
    const std::size_t wrong = compare(name, device, algorithm(seed, count));
    MUST(rocrand_destroy_generator(generator));
    MUST(hipFree(device));
    return wrong;
}

int main(int argument_count, char** arguments) {
    const bool many = argument_count > 1 && std::strcmp(arguments[1], "--every") == 0;
    const struct {
        const char* name;
        rocrand_rng_type type;
        Numbers (*algorithm)(std::uint64_t, std::size_t);
        std::uint64_t largest_seed;
    } generators[] = {{"xorwow", ROCRAND_RNG_PSEUDO_XORWOW, xorwow, ~0ULL},
                      {"mrg32k3a", ROCRAND_RNG_PSEUDO_MRG32K3A, mrg32k3a, ~0U},
                      {"mtgp32", ROCRAND_RNG_PSEUDO_MTGP32, mtgp32, ~0ULL},
                      {"philox", ROCRAND_RNG_PSEUDO_PHILOX4_32_10, philox, ~0ULL},
                      {"sobol32", ROCRAND_RNG_QUASI_SOBOL32, sobol32, ~0ULL}};
    std::vector<std::size_t> counts = {10, 5000};
    std::vector<std::uint64_t> seeds = {0x123456789abcdef};
    if (many) {
        counts.insert(counts.end(), {1000, 400000});  // more than there are engines
        seeds.insert(seeds.end(), {1, 0xfedcba9876543210});
    }
    std::size_t results = 0, wrong = 0;
    for (const auto& generator : generators)
        for (const std::uint64_t seed : seeds)
            for (const std::size_t count : counts) {
                wrong +=
                    test(generator.name, generator.type, generator.algorithm, seed & generator.largest_seed, count);
                results += count;
            }
    if (wrong == 0)
        std::printf("rocrand: %zu results, all as on the host\n", results);
    else
        std::printf("rocrand: WRONG: %zu of %zu results differ from the host's\n", wrong, results);
    return wrong != 0;
}
