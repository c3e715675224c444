// The kernels of examples/gcn, compiled for each generation without optimisation and with it, against computations of the
// host's own.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <complex>
#include <numeric>
#include <random>

#include "device/kernels.hpp"
#include "effort.hpp"

namespace isaforge::test {
namespace {

struct Setting {
    const char* processor;
    int level;
    bool watched = false;
};

const std::vector<std::uint8_t>& examples(const Setting& setting) {
    std::string source;
    for (const char* name : {"vector_add", "reduction", "prefix_sum", "matrix_product", "fft", "radix_sort",
                             "histogram", "nbody", "mandelbrot", "sha256", "string_search", "path_tracer"})
        source += fmt::format("#include \"{}.cl\"\n#undef FROM\n", name);
    return compiled(source, setting.processor, fmt::format("-O{}", setting.level));
}

class Examples : public testing::TestWithParam<Setting> {
protected:
    Examples()
        : bench_(
              {.processor = GetParam().processor, .threads = 2, .checks = GetParam().watched ? all_checks : Checks{}},
              examples(GetParam())),
          random_(7) {}

    void SetUp() override { ASSERT_TRUE(bench_.code); }
    void TearDown() override {
        for (const Finding& finding : device().findings())
            ADD_FAILURE() << fmt::format("{:#x} {}: {}: {}", finding.address, finding.text, finding.check,
                                         finding.message);
    }

    ComputeDevice& device() { return *bench_.device; }
    std::vector<std::uint32_t> random_words(std::size_t count) {
        std::vector<std::uint32_t> words(count);
        for (auto& each : words) each = static_cast<std::uint32_t>(random_());
        return words;
    }
    std::vector<float> random_floats(std::size_t count) {
        std::vector<float> floats(count);
        for (auto& each : floats) each = std::uniform_real_distribution<float>(-1, 1)(random_);
        return floats;
    }

    Bench bench_;
    std::mt19937_64 random_;
};

TEST_P(Examples, VectorAdd) {
    constexpr std::uint32_t count = 1000;  // the last group is not whole
    const auto a = random_floats(count), b = random_floats(count);
    Buffer<float> first(device(), a), second(device(), b), sum(device(), count);
    bench_.run("vector_add", {count, 1, 1}, {256, 1, 1}, first, second, sum, count);
    for (std::size_t i = 0; i < count; ++i) ASSERT_EQ(sum[i], a[i] + b[i]) << i;
}

TEST_P(Examples, Reduction) {
    const auto data = random_words(5000);
    Buffer<std::uint32_t> in(device(), data), sum(device(), 1);
    bench_.run("reduction", {1024, 1, 1}, {256, 1, 1}, in, std::uint32_t{5000}, sum);
    EXPECT_EQ(sum[0], std::accumulate(data.begin(), data.end(), 0u));
}

TEST_P(Examples, PrefixSum) {
    auto data = random_words(1024);
    Buffer<std::uint32_t> buffer(device(), data), sums(device(), 4);
    bench_.run("prefix_sum", {1024, 1, 1}, {256, 1, 1}, buffer, sums);
    bench_.run("add_groups", {1024, 1, 1}, {256, 1, 1}, buffer, sums);
    std::partial_sum(data.begin(), data.end(), data.begin());
    EXPECT_EQ(buffer.values(), data);
}

TEST_P(Examples, MatrixProduct) {
    constexpr std::uint32_t size = 32;
    const auto a = random_floats(size * size), b = random_floats(size * size);
    Buffer<float> first(device(), a), second(device(), b), product(device(), size * size);
    bench_.run("matrix_product", {size, size, 1}, {16, 16, 1}, first, second, product, size);
    for (std::uint32_t row = 0; row < size; ++row)
        for (std::uint32_t column = 0; column < size; ++column) {
            double sum = 0;
            for (std::uint32_t k = 0; k < size; ++k) sum += double{a[row * size + k]} * b[k * size + column];
            ASSERT_NEAR(product[row * size + column], sum, 1e-5);
        }
}

TEST_P(Examples, FourierTransform) {
    constexpr std::uint32_t points = 256, groups = 2;
    const auto in = random_floats(2 * points * groups);
    Buffer<float> data(device(), in), out(device(), in.size());
    bench_.run("fft", {points / 2 * groups, 1, 1}, {points / 2, 1, 1}, data, out);
    for (std::uint32_t group = 0; group < groups; ++group)
        for (std::uint32_t k = 0; k < points; ++k) {
            std::complex<double> sum = 0;
            for (std::uint32_t n = 0; n < points; ++n) {
                const std::size_t at = 2 * (group * points + n);
                sum += std::complex<double>(in[at], in[at + 1]) * std::polar(1.0, -2 * M_PI * k * n / points);
            }
            ASSERT_NEAR(out[2 * (group * points + k)], sum.real(), 1e-4);
            ASSERT_NEAR(out[2 * (group * points + k) + 1], sum.imag(), 1e-4);
        }
}

TEST_P(Examples, RadixSort) {
    auto keys = random_words(512);
    for (std::size_t i = 0; i < 100; ++i) keys[i] %= 5;
    Buffer<std::uint32_t> buffer(device(), keys);
    bench_.run("radix_sort", {512, 1, 1}, {256, 1, 1}, buffer);
    std::sort(keys.begin(), keys.begin() + 256);
    std::sort(keys.begin() + 256, keys.end());
    EXPECT_EQ(buffer.values(), keys);
}

TEST_P(Examples, Histogram) {
    std::vector<std::uint8_t> data(3000);
    for (auto& each : data) each = static_cast<std::uint8_t>(random_() >> random_() % 8);
    Buffer<std::uint8_t> in(device(), data);
    Buffer<std::uint32_t> counts(device(), 256);
    bench_.run("histogram", {512, 1, 1}, {256, 1, 1}, in, std::uint32_t{3000}, counts);
    for (unsigned value = 0; value < 256; ++value)
        ASSERT_EQ(counts[value], std::count(data.begin(), data.end(), value)) << value;
}

TEST_P(Examples, Bodies) {
    constexpr std::uint32_t count = 128;
    constexpr float step = 0.01f;
    auto bodies = random_floats(4 * count), velocities = random_floats(4 * count);
    for (std::size_t i = 3; i < bodies.size(); i += 4) bodies[i] = std::abs(bodies[i]);
    Buffer<float> in(device(), bodies), speed(device(), velocities), out(device(), bodies.size());
    bench_.run("nbody", {count, 1, 1}, {64, 1, 1}, in, speed, out, count, step);
    for (std::uint32_t i = 0; i < count; ++i)
        for (unsigned axis = 0; axis < 3; ++axis) {
            double pull = 0;
            for (std::uint32_t k = 0; k < count; ++k) {
                double square = 0.01;
                for (unsigned each = 0; each < 3; ++each)
                    square += std::pow(double{bodies[4 * k + each]} - bodies[4 * i + each], 2);
                pull +=
                    (double{bodies[4 * k + axis]} - bodies[4 * i + axis]) * bodies[4 * k + 3] / std::pow(square, 1.5);
            }
            const double velocity = velocities[4 * i + axis] + pull * step;
            ASSERT_NEAR(speed[4 * i + axis], velocity, 1e-3);
            ASSERT_NEAR(out[4 * i + axis], bodies[4 * i + axis] + velocity * step, 1e-4);
        }
}

// Which way a point at the edge goes depends on the last bit, and that on how a compiler contracts products and sums.
TEST_P(Examples, Mandelbrot) {
    constexpr std::uint32_t width = 50, height = 20, most = 40;
    constexpr float left = -2.2f, top = 1.2f, step = 0.065f;
    Buffer<std::uint32_t> image(device(), width * height);
    bench_.run("mandelbrot", {64, 24, 1}, {8, 8, 1}, image, width, height, left, top, step, most);
    unsigned different = 0, inside = 0;
    for (std::uint32_t row = 0; row < height; ++row)
        for (std::uint32_t column = 0; column < width; ++column) {
            const std::complex<double> c(left + step * column, top - step * row);
            std::complex<double> z = 0;
            std::uint32_t n = 0;
            for (; n < most && std::norm(z) < 4; ++n) z = z * z + c;
            const std::uint32_t shade = n == most ? 0 : 255 - n * 255 / most;
            different += image[row * width + column] != (shade << 16 | shade * shade / 255 << 8 | (255 - shade) / 2);
            inside += n == most;
        }
    EXPECT_LE(different, width * height / 50);
    EXPECT_GT(inside, 50u);
}

// FIPS 180-4 step by step, as text has it, with numbers of 64 bits that are cut.
std::string sha256(std::string message) {
    const auto fraction = [](double x) { return static_cast<std::uint32_t>((x - std::floor(x)) * 4294967296.0); };
    std::vector<unsigned> primes;
    for (unsigned n = 2; primes.size() < 64; ++n)
        if (std::none_of(primes.begin(), primes.end(), [n](unsigned p) { return n % p == 0; })) primes.push_back(n);
    std::array<std::uint32_t, 8> h{};
    for (std::size_t i = 0; i < 8; ++i) h[i] = fraction(std::sqrt(primes[i]));
    const std::size_t bits = message.size() * 8;
    message += '\x80';
    message.resize(56);
    for (int shift = 56; shift >= 0; shift -= 8) message += static_cast<char>(std::uint64_t{bits} >> shift);
    std::array<std::uint32_t, 64> w{};
    for (std::size_t i = 0; i < 64; ++i) w[i / 4] = w[i / 4] << 8 | static_cast<std::uint8_t>(message[i]);
    for (std::size_t i = 16; i < 64; ++i) {
        const std::uint32_t a = w[i - 15], b = w[i - 2];
        w[i] = w[i - 16] + (std::rotr(a, 7) ^ std::rotr(a, 18) ^ a >> 3) + w[i - 7] +
               (std::rotr(b, 17) ^ std::rotr(b, 19) ^ b >> 10);
    }
    auto s = h;
    for (std::size_t i = 0; i < 64; ++i) {
        const std::uint32_t choose = (s[4] & s[5]) ^ (~s[4] & s[6]),
                            most = (s[0] & s[1]) ^ (s[0] & s[2]) ^ (s[1] & s[2]);
        const std::uint32_t one =
            s[7] + (std::rotr(s[4], 6) ^ std::rotr(s[4], 11) ^ std::rotr(s[4], 25)) + choose + w[i] +
            static_cast<std::uint32_t>(std::fmod(std::cbrt(static_cast<long double>(primes[i])), 1.0L) * 4294967296.0L);
        const std::uint32_t two = (std::rotr(s[0], 2) ^ std::rotr(s[0], 13) ^ std::rotr(s[0], 22)) + most;
        std::rotate(s.begin(), s.end() - 1, s.end());
        s[0] = one + two;
        s[4] += one;
    }
    std::string text;
    for (std::size_t i = 0; i < 8; ++i) text += fmt::format("{:08x}", h[i] + s[i]);
    return text;
}

TEST_P(Examples, Sha256) {
    ASSERT_EQ(sha256("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    constexpr std::uint32_t count = 70;
    std::vector<std::string> messages = {"abc", ""};
    while (messages.size() < count) {
        std::string& text = messages.emplace_back(random_() % 56, ' ');
        for (char& c : text) c = static_cast<char>(random_());
    }
    std::vector<std::uint8_t> bytes(64 * count);
    for (std::size_t i = 0; i < count; ++i) {
        std::copy(messages[i].begin(), messages[i].end(), bytes.begin() + static_cast<std::ptrdiff_t>(64 * i));
        bytes[64 * i + 63] = static_cast<std::uint8_t>(messages[i].size());
    }
    Buffer<std::uint8_t> in(device(), bytes);
    Buffer<std::uint32_t> hashes(device(), 8 * count);
    bench_.run("sha256", {count, 1, 1}, {64, 1, 1}, in, hashes, count);
    for (std::size_t i = 0; i < count; ++i) {
        std::string text;
        for (std::size_t k = 0; k < 8; ++k) text += fmt::format("{:08x}", hashes[8 * i + k]);
        ASSERT_EQ(text, sha256(messages[i])) << i;
    }
}

TEST_P(Examples, StringSearch) {
    std::string text(2000, 'a');
    for (char& c : text) c = static_cast<char>('a' + random_() % 3);
    const std::string word = "abca";
    std::vector<std::uint32_t> places;
    for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1))
        places.push_back(static_cast<std::uint32_t>(at));
    ASSERT_FALSE(places.empty());
    Buffer<char> in(device(), {text.begin(), text.end()}), wanted(device(), {word.begin(), word.end()});
    Buffer<std::uint32_t> found(device(), 1), list(device(), 500);
    bench_.run("string_search", {2048, 1, 1}, {256, 1, 1}, in, std::uint32_t{2000}, wanted, std::uint32_t{4}, found,
               list, std::uint32_t{500});
    ASSERT_EQ(found[0], places.size());
    std::vector<std::uint32_t> got = list.values();
    got.resize(places.size());
    std::sort(got.begin(), got.end());
    EXPECT_EQ(got, places);
}

// --- The path tracer once more, for the host.

struct Vector {
    float x = 0, y = 0, z = 0;
};
Vector operator+(Vector a, Vector b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
Vector operator-(Vector a, Vector b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
Vector operator*(Vector a, Vector b) { return {a.x * b.x, a.y * b.y, a.z * b.z}; }
Vector operator*(Vector a, float b) { return {a.x * b, a.y * b, a.z * b}; }
float dot(Vector a, Vector b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
Vector unit(Vector a) { return a * (1 / std::sqrt(dot(a, a))); }

struct Ball {
    Vector centre;
    float radius;
    Vector colour;
    bool mirror;
};
constexpr Ball balls[] = {
    {{0, -1000, 0}, 1000, {0.75f, 0.75f, 0.7f}, false},       {{0, 1, 0}, 1, {0.95f, 0.95f, 0.95f}, true},
    {{-2.2f, 0.8f, 0.6f}, 0.8f, {0.85f, 0.25f, 0.2f}, false}, {{2.1f, 0.7f, 0.8f}, 0.7f, {0.2f, 0.4f, 0.85f}, false},
    {{0.9f, 0.4f, 2.0f}, 0.4f, {0.95f, 0.75f, 0.3f}, true},   {{-0.8f, 0.3f, 2.1f}, 0.3f, {0.3f, 0.75f, 0.35f}, false}};

class Tracer {
public:
    explicit Tracer(std::uint32_t pixel) : state_(pixel * 2654435761u + 12345u) {
        state_ ^= state_ >> 15;
        state_ |= 1;
    }
    float chance() {
        state_ ^= state_ << 13;
        state_ ^= state_ >> 17;
        state_ ^= state_ << 5;
        return static_cast<float>(state_ >> 8) / 16777216.0f;
    }
    Vector direction() {
        for (;;) {
            Vector p;
            for (float* each : {&p.x, &p.y, &p.z}) *each = 2 * chance() - 1;
            const float square = dot(p, p);
            if (square > 0.0001f && square <= 1) return p * (1 / std::sqrt(square));
        }
    }
    Vector light(Vector from, Vector way) {
        Vector share{1, 1, 1};
        for (int bounce = 0; bounce < 6; ++bounce) {
            float nearest = 1e20f;
            const Ball* found = nullptr;
            for (const Ball& ball : balls) {
                const Vector to = ball.centre - from;
                const float along = dot(to, way), square = along * along - dot(to, to) + ball.radius * ball.radius;
                if (square < 0) continue;
                const float root = std::sqrt(square), t = along - root > 0.001f ? along - root : along + root;
                if (t > 0.001f && t < nearest) nearest = t, found = &ball;
            }
            if (found == nullptr) {
                const float height = 0.5f * way.y + 0.5f;
                return share * (Vector{1, 0.95f, 0.9f} * (1 - height) + Vector{0.35f, 0.6f, 1} * height);
            }
            from = from + way * nearest;
            const Vector out = unit(from - found->centre);
            share = share * found->colour;
            way = found->mirror ? way - out * (2 * dot(way, out)) : unit(out + direction() * 0.999f);
        }
        return {};
    }

private:
    std::uint32_t state_;
};

// One path that just misses a sphere on one of the two gives another colour, so most pixels have to agree, and not all.
TEST_P(Examples, PathTracer) {
    constexpr std::uint32_t width = 24, height = 16, paths = 2;
    Buffer<std::uint32_t> image(device(), width * height);
    bench_.run("path_tracer", {width, height, 1}, {8, 8, 1}, image, width, height, paths);
    unsigned equal = 0;
    for (std::uint32_t row = 0; row < height; ++row)
        for (std::uint32_t column = 0; column < width; ++column) {
            Tracer tracer(row * width + column);
            Vector sum;
            for (std::uint32_t i = 0; i < paths; ++i) {
                const float x = (static_cast<float>(column) + tracer.chance()) / height - 0.5f * width / height;
                const float y = 0.5f - (static_cast<float>(row) + tracer.chance()) / height;
                sum = sum + tracer.light({0, 1.6f, 6.5f}, unit({x, y - 0.12f, -1.1f}));
            }
            bool same = true;
            unsigned shift = 16;
            for (const float part : {sum.x, sum.y, sum.z}) {
                const float root = std::min(1.0f, std::sqrt(part / paths));
                const int got = static_cast<int>(image[row * width + column] >> shift & 0xff);
                same = same && std::abs(got - static_cast<int>(255.99f * root)) <= 2;
                shift -= 8;
            }
            equal += same;
        }
    EXPECT_GE(equal, width * height * 9 / 10);
}

// A sample is every second, another one for each processor.
std::vector<Setting> settings() {
    std::vector<Setting> all;
    bool watches = false;
    for (const char* processor : {"gfx600", "gfx700", "gfx803", "gfx900"}) {
        for (const int level : {0, 2}) {
            all.push_back({processor, level, watches});
            if (effort() > 1) all.push_back({processor, level, !watches});
            watches = !watches;
        }
        watches = !watches;
    }
    return all;
}
INSTANTIATE_TEST_SUITE_P(All, Examples, testing::ValuesIn(settings()), [](const auto& setting) {
    return fmt::format("{}O{}{}", setting.param.processor, setting.param.level, setting.param.watched ? "Watched" : "");
});

}  // namespace
}  // namespace isaforge::test
