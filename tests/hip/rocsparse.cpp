// Debian's rocSPARSE, whose kernels come with its library, against sums of products on the host.
//
// Numbers are multiples of an eighth between -2 and 2, so that sums of their products have no error whatever their order, and
// results must be equal. Only what divides or takes roots may differ by some rounding errors: solvers and factorizations.
// In every second case the factors are in the device's memory, and small results go there.
#include <hip/hip_runtime.h>

#include <rocsparse/rocsparse.h>
#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <numeric>
#include <string>
#include <type_traits>
#include <vector>

using Wide = std::complex<double>;
using Complex = rocsparse_float_complex;
using DoubleComplex = rocsparse_double_complex;

template <typename T>
constexpr bool is_complex = std::is_same_v<T, Complex> || std::is_same_v<T, DoubleComplex>;
template <typename T>
constexpr bool is_single = std::is_same_v<T, float> || std::is_same_v<T, Complex>;
template <typename T>
constexpr rocsparse_datatype datatype =
    is_complex<T>  ? is_single<T> ? rocsparse_datatype_f32_c : rocsparse_datatype_f64_c
    : is_single<T> ? rocsparse_datatype_f32_r
                   : rocsparse_datatype_f64_r;
template <typename T>
constexpr double rounding = is_single<T> ? 5e-5 : 1e-12;  // of solvers, relative to the largest element
template <typename T>
static const char* type_name = is_complex<T>  ? is_single<T> ? "complex float" : "complex double"
                               : is_single<T> ? "float"
                                              : "double";

// ---- rocSPARSE's routines by type

template <typename T, typename S, typename D>
constexpr auto real_of_type(S s, D d) {
    if constexpr (std::is_same_v<T, float>)
        return s;
    else
        return d;
}
template <typename T, typename S, typename D, typename C, typename Z>
constexpr auto of_type(S s, D d, C c, Z z) {
    if constexpr (is_complex<T>)
        return real_of_type<decltype(T::x)>(c, z);
    else
        return real_of_type<T>(s, d);
}
#define REAL(name)        \
    template <typename T> \
    constexpr auto name = real_of_type<T>(rocsparse_s##name, rocsparse_d##name)
#define ANY(name)         \
    template <typename T> \
    constexpr auto name = of_type<T>(rocsparse_s##name, rocsparse_d##name, rocsparse_c##name, rocsparse_z##name)

// clang-format off
namespace typed {
ANY(axpyi); ANY(doti); ANY(gthr); ANY(gthrz); ANY(sctr); REAL(roti);
template <typename T> constexpr auto dotci = real_of_type<decltype(T::x)>(rocsparse_cdotci, rocsparse_zdotci);
ANY(csrmv); ANY(csrmv_analysis); ANY(coomv); ANY(ellmv); ANY(hybmv); ANY(bsrmv); ANY(bsrxmv); ANY(gebsrmv);
ANY(gemvi); ANY(gemvi_buffer_size);
ANY(csrsv_buffer_size); ANY(csrsv_analysis); ANY(csrsv_solve); ANY(bsrsv_buffer_size); ANY(bsrsv_analysis); ANY(bsrsv_solve);
ANY(csrmm); ANY(bsrmm); ANY(gebsrmm); ANY(gemmi);
ANY(csrsm_buffer_size); ANY(csrsm_analysis); ANY(csrsm_solve); ANY(bsrsm_buffer_size); ANY(bsrsm_analysis); ANY(bsrsm_solve);
ANY(csrgeam); ANY(csrgemm); ANY(csrgemm_buffer_size);
ANY(csrilu0_buffer_size); ANY(csrilu0_analysis); ANY(csrilu0); ANY(csric0_buffer_size); ANY(csric0_analysis); ANY(csric0);
ANY(bsrilu0_buffer_size); ANY(bsrilu0_analysis); ANY(bsrilu0); ANY(bsric0_buffer_size); ANY(bsric0_analysis); ANY(bsric0);
ANY(gtsv_buffer_size); ANY(gtsv); ANY(gtsv_no_pivot_buffer_size); ANY(gtsv_no_pivot);
ANY(gtsv_no_pivot_strided_batch_buffer_size); ANY(gtsv_no_pivot_strided_batch);
ANY(gtsv_interleaved_batch_buffer_size); ANY(gtsv_interleaved_batch); ANY(gpsv_interleaved_batch_buffer_size); ANY(gpsv_interleaved_batch);
ANY(nnz); ANY(nnz_compress); ANY(dense2csr); ANY(dense2csc); ANY(dense2coo); ANY(csr2dense); ANY(csc2dense); ANY(coo2dense);
ANY(csr2csc); ANY(csr2ell); ANY(ell2csr); ANY(csr2hyb); ANY(hyb2csr); ANY(csr2bsr); ANY(bsr2csr); ANY(csr2csr_compress);
ANY(csr2gebsr_buffer_size); ANY(csr2gebsr); ANY(gebsr2csr); ANY(gebsr2gebsc_buffer_size); ANY(gebsr2gebsc);
ANY(gebsr2gebsr_buffer_size); ANY(gebsr2gebsr); ANY(csrcolor);
REAL(prune_dense2csr_buffer_size); REAL(prune_dense2csr_nnz); REAL(prune_dense2csr);
REAL(prune_dense2csr_by_percentage_buffer_size); REAL(prune_dense2csr_nnz_by_percentage); REAL(prune_dense2csr_by_percentage);
REAL(prune_csr2csr_buffer_size); REAL(prune_csr2csr_nnz); REAL(prune_csr2csr);
REAL(prune_csr2csr_by_percentage_buffer_size); REAL(prune_csr2csr_nnz_by_percentage); REAL(prune_csr2csr_by_percentage);
}  // namespace typed

// ---- cases
// clang-format on

struct Wrong {
    std::string what;
};

static rocsparse_handle handle;
static int cases, wrong_cases;
static const char* only = "";  // cases whose names contain it
static int named, every = 1;   // and of those that so many are apart
static bool are_named;         // on standard error before they run
static bool on_device;         // where the factors and small results of a case are

static void must(rocsparse_status status, const char* call) {
    if (status != rocsparse_status_success)
        throw Wrong{std::string(call).substr(0, 40) + ": status " + std::to_string(status)};
}
static void must(hipError_t error, const char* call) {
    if (error != hipSuccess) throw Wrong{std::string(call).substr(0, 40) + ": " + hipGetErrorString(error)};
}
#define MUST(...) must(__VA_ARGS__, #__VA_ARGS__)

template <typename... Parts>
static std::string text(const Parts&... parts) {
    std::string joined;
    const auto add = [&](auto part) {
        if constexpr (std::is_arithmetic_v<decltype(part)>)
            joined += (joined.empty() ? "" : " ") + std::to_string(part);
        else
            joined += (joined.empty() ? "" : " ") + std::string(part);
    };
    (add(parts), ...);
    return joined;
}

template <typename Body>
static void test(const std::string& name, Body body) {
    if (name.find(only) == std::string::npos || named++ % every != 0) return;
    on_device = ++cases % 2 == 0;
    if (are_named) std::fprintf(stderr, "%s\n", name.c_str());
    try {
        MUST(rocsparse_set_pointer_mode(handle,
                                        on_device ? rocsparse_pointer_mode_device : rocsparse_pointer_mode_host));
        body();
        MUST(hipDeviceSynchronize());
    } catch (const Wrong& wrong) {
        ++wrong_cases;
        std::printf("%s%s: %s\n", name.c_str(), on_device ? ", factors on the device" : "", wrong.what.c_str());
        std::fflush(stdout);
    }
}

// ---- numbers

static Wide wide(int x) { return x; }
static Wide wide(std::int64_t x) { return static_cast<double>(x); }
static Wide wide(double x) { return x; }
static Wide wide(Complex x) { return {x.x, x.y}; }
static Wide wide(DoubleComplex x) { return {x.x, x.y}; }

template <typename T>
static T narrow(Wide x) {
    if constexpr (is_complex<T>)
        return {static_cast<decltype(T::x)>(x.real()), static_cast<decltype(T::x)>(x.imag())};
    else
        return static_cast<T>(x.real());
}

template <typename T>
static std::vector<T> narrow(const std::vector<Wide>& from) {
    std::vector<T> to(from.size());
    std::transform(from.begin(), from.end(), to.begin(), [](Wide x) { return narrow<T>(x); });
    return to;
}

static std::uint64_t random_state;

static int random_below(int limit) {
    random_state = random_state * 6364136223846793005 + 1442695040888963407;
    return static_cast<int>((random_state >> 33) % static_cast<std::uint64_t>(limit));
}

/// Neither part of it is zero, but the second if there is none.
static Wide random_number(bool complex) {
    const auto part = [] { return (random_below(2) == 0 ? 1 : -1) * (random_below(16) + 1) / 8.0; };
    const double real = part();
    return {real, complex ? part() : 0};
}

static std::vector<Wide> random_numbers(int count, bool complex) {
    std::vector<Wide> numbers(static_cast<std::size_t>(count));
    for (Wide& number : numbers) number = random_number(complex);
    return numbers;
}

template <typename T>
static const Wide alpha = {1.5, is_complex<T> ? -0.5 : 0};
template <typename T>
static const Wide beta = {-0.75, is_complex<T> ? 0.25 : 0};

// ---- the device's memory

template <typename T>
class Device {
public:
    explicit Device(std::size_t size) : Device(size, nullptr) {}
    explicit Device(int size) : Device(static_cast<std::size_t>(size)) {}
    explicit Device(const std::vector<T>& from) : Device(from.size(), from.data()) {}
    explicit Device(const std::vector<Wide>& from) : Device(narrow<T>(from)) {}
    Device(const Device&) = delete;
    ~Device() { (void)hipFree(data_); }

    operator T*() const { return data_; }

    std::vector<T> host() const {
        std::vector<T> to(size_);
        std::vector<unsigned char> behind(guard);
        if (size_ != 0) MUST(hipMemcpy(to.data(), data_, size_ * sizeof(T), hipMemcpyDeviceToHost));
        MUST(hipMemcpy(behind.data(), data_ + size_, guard, hipMemcpyDeviceToHost));
        if (behind != std::vector<unsigned char>(guard, 0x5a))
            throw Wrong{"bytes behind the end of an array are overwritten"};
        return to;
    }

private:
    Device(std::size_t size, const T* from) : size_(size) {
        std::vector<unsigned char> bytes(size * sizeof(T) + guard, 0x5a);
        if (from && size != 0) std::memcpy(bytes.data(), from, size * sizeof(T));
        MUST(hipMalloc(&data_, bytes.size()));
        MUST(hipMemcpy(data_, bytes.data(), bytes.size(), hipMemcpyHostToDevice));
    }

    static constexpr std::size_t guard =
        2048;  // bsrilu0 reads behind the last block, where GPUs have the rest of a page
    T* data_ = nullptr;
    std::size_t size_;
};

/// A factor or a small result.
template <typename T>
class Scalar {
public:
    explicit Scalar(Wide value = 0) : host_(narrow<T>(value)), device_(std::vector<T>{host_}) {}
    T* pointer() { return on_device ? static_cast<T*>(device_) : &host_; }
    T value() { return on_device ? device_.host()[0] : (MUST(hipDeviceSynchronize()), host_); }

private:
    T host_;
    Device<T> device_;
};

template <typename Handle, rocsparse_status (*destroy)(Handle)>
struct Owner {
    Handle it = nullptr;
    Owner() = default;
    Owner(const Owner&) = delete;
    ~Owner() { destroy(it); }
    operator Handle() const { return it; }
};
struct Description : Owner<rocsparse_mat_descr, rocsparse_destroy_mat_descr> {
    explicit Description(int base = 0) {
        MUST(rocsparse_create_mat_descr(&it));
        MUST(rocsparse_set_mat_index_base(it, static_cast<rocsparse_index_base>(base)));
    }
    Description(int base, rocsparse_fill_mode fill, bool unit) : Description(base) {
        MUST(rocsparse_set_mat_fill_mode(it, fill));
        MUST(rocsparse_set_mat_diag_type(it, unit ? rocsparse_diag_type_unit : rocsparse_diag_type_non_unit));
    }
};
struct Info : Owner<rocsparse_mat_info, rocsparse_destroy_mat_info> {
    Info() { MUST(rocsparse_create_mat_info(&it)); }
};
using Hybrid = Owner<rocsparse_hyb_mat, rocsparse_destroy_hyb_mat>;
using SparseVector = Owner<rocsparse_spvec_descr, rocsparse_destroy_spvec_descr>;
using SparseMatrix = Owner<rocsparse_spmat_descr, rocsparse_destroy_spmat_descr>;
using DenseVector = Owner<rocsparse_dnvec_descr, rocsparse_destroy_dnvec_descr>;
using DenseMatrix = Owner<rocsparse_dnmat_descr, rocsparse_destroy_dnmat_descr>;

template <typename T>
static void expect(const char* what, const std::vector<T>& found, const std::vector<T>& expected,
                   double tolerance = 0) {
    if (found.size() != expected.size()) throw Wrong{text(what, "has", found.size(), "elements, not", expected.size())};
    double largest = 0;
    for (const T& x : expected) largest = std::max(largest, std::abs(wide(x)));
    std::size_t wrong = 0, first = 0;
    for (std::size_t i = found.size(); i-- > 0;)
        if (!(std::abs(wide(found[i]) - wide(expected[i])) <= tolerance * largest)) ++wrong, first = i;
    if (wrong == 0) return;
    char line[300];
    const Wide f = wide(found[first]), e = wide(expected[first]);
    std::snprintf(line, sizeof line, "%s: %zu of %zu wrong, element %zu is (%.9g, %.9g), not (%.9g, %.9g)", what, wrong,
                  found.size(), first, f.real(), f.imag(), e.real(), e.imag());
    throw Wrong{line};
}
template <typename T>
static void expect(const char* what, const Device<T>& found, const std::vector<Wide>& expected, double tolerance = 0) {
    expect(what, found.host(), narrow<T>(expected), tolerance);
}
static void expect(const char* what, const Device<int>& found, const std::vector<int>& expected) {
    expect(what, found.host(), expected);
}
static void expect(const char* what, int found, int expected) {
    expect(what, std::vector<int>{found}, std::vector<int>{expected});
}

// ---- matrices of the host

struct Dense {  // column by column
    int rows, columns;
    std::vector<Wide> values;

    Dense(int m, int n) : rows(m), columns(n), values(static_cast<std::size_t>(m) * static_cast<std::size_t>(n)) {}
    Dense(int m, int n, bool complex) : rows(m), columns(n), values(random_numbers(m * n, complex)) {}
    Wide& operator()(int i, int j) {
        return values[static_cast<std::size_t>(j) * static_cast<std::size_t>(rows) + static_cast<std::size_t>(i)];
    }
    Wide operator()(int i, int j) const { return const_cast<Dense&>(*this)(i, j); }
};

struct Entry {
    int row, column;
    Wide value;
};
static bool operator<(const Entry& a, const Entry& b) { return a.row != b.row ? a.row < b.row : a.column < b.column; }

struct Sparse {  // its entries in the order of rows, and in these of columns
    int rows, columns;
    std::vector<Entry> entries;

    int count() const { return static_cast<int>(entries.size()); }
    std::vector<int> row_indices(int base) const {
        return collected<int>([&](const Entry& e) { return e.row + base; });
    }
    std::vector<int> column_indices(int base) const {
        return collected<int>([&](const Entry& e) { return e.column + base; });
    }
    std::vector<Wide> values() const {
        return collected<Wide>([&](const Entry& e) { return e.value; });
    }
    std::vector<int> row_counts() const {
        std::vector<int> counts(static_cast<std::size_t>(rows));
        for (const Entry& e : entries) ++counts[static_cast<std::size_t>(e.row)];
        return counts;
    }
    std::vector<int> row_pointers(int base) const {
        std::vector<int> pointers = {base};
        for (const int row : row_counts()) pointers.push_back(pointers.back() + row);
        return pointers;
    }

private:
    template <typename R, typename F>
    std::vector<R> collected(F of) const {
        std::vector<R> all;
        for (const Entry& e : entries) all.push_back(of(e));
        return all;
    }
};

constexpr rocsparse_operation none = rocsparse_operation_none, transpose = rocsparse_operation_transpose,
                              conjugate = rocsparse_operation_conjugate_transpose;
static const char* name_of(rocsparse_operation op) {
    return op == none ? "" : op == transpose ? "transposed" : "conjugated";
}

static Sparse applied(rocsparse_operation op, Sparse a) {
    if (op == none) return a;
    std::swap(a.rows, a.columns);
    for (Entry& e : a.entries) e = {e.column, e.row, op == conjugate ? std::conj(e.value) : e.value};
    std::sort(a.entries.begin(), a.entries.end());
    return a;
}
static Dense applied(rocsparse_operation op, const Dense& a) {
    if (op == none) return a;
    Dense b(a.columns, a.rows);
    for (int i = 0; i < a.rows; ++i)
        for (int j = 0; j < a.columns; ++j) b(j, i) = op == conjugate ? std::conj(a(i, j)) : a(i, j);
    return b;
}

/// alpha a b + beta c
static Dense multiply(Wide alpha, const Sparse& a, const Dense& b, Wide beta, const Dense& c) {
    Dense sum(a.rows, b.columns);
    for (int j = 0; j < b.columns; ++j) {
        for (const Entry& e : a.entries) sum(e.row, j) += e.value * b(e.column, j);
        for (int i = 0; i < a.rows; ++i) sum(i, j) = alpha * sum(i, j) + beta * c(i, j);
    }
    return sum;
}

/// alpha a + beta b, of which the entries are those of both, also if they are zero
static Sparse add(Wide alpha, const Sparse& a, Wide beta, const Sparse& b) {
    std::map<std::pair<int, int>, Wide> sums;
    for (const Entry& e : a.entries) sums[{e.row, e.column}] += alpha * e.value;
    for (const Entry& e : b.entries) sums[{e.row, e.column}] += beta * e.value;
    Sparse sum = {a.rows, a.columns, {}};
    for (const auto& [at, value] : sums) sum.entries.push_back({at.first, at.second, value});
    return sum;
}

static Sparse multiply(const Sparse& a, const Sparse& b) {
    const std::vector<int> rows = b.row_pointers(0);
    std::map<std::pair<int, int>, Wide> sums;
    for (const Entry& e : a.entries)
        for (int k = rows[static_cast<std::size_t>(e.column)]; k < rows[static_cast<std::size_t>(e.column) + 1]; ++k) {
            const Entry& f = b.entries[static_cast<std::size_t>(k)];
            sums[{e.row, f.column}] += e.value * f.value;
        }
    Sparse product = {a.rows, b.columns, {}};
    for (const auto& [at, value] : sums) product.entries.push_back({at.first, at.second, value});
    return product;
}

/// x of a x = alpha b, where a is one triangle of the given matrix
static Dense solve(const Sparse& a, bool lower, bool unit, Wide alpha, const Dense& b) {
    const std::vector<int> rows = a.row_pointers(0);
    Dense x(b.rows, b.columns);
    for (int j = 0; j < b.columns; ++j)
        for (int step = 0; step < a.rows; ++step) {
            const int i = lower ? step : a.rows - 1 - step;
            Wide sum = alpha * b(i, j), diagonal = 1;
            for (int k = rows[static_cast<std::size_t>(i)]; k < rows[static_cast<std::size_t>(i) + 1]; ++k) {
                const Entry& e = a.entries[static_cast<std::size_t>(k)];
                if (e.column == i && !unit) diagonal = e.value;
                if (lower ? e.column < i : e.column > i) sum -= e.value * x(e.column, j);
            }
            x(i, j) = sum / diagonal;
        }
    return x;
}

static Dense dense_of(const Sparse& a) {
    Dense b(a.rows, a.columns);
    for (const Entry& e : a.entries) b(e.row, e.column) = e.value;
    return b;
}

/// As an array with some elements between columns, or rows, that nobody should touch.
static std::vector<Wide> packed(const Dense& a, int ld, bool by_rows = false) {
    const std::size_t length = static_cast<std::size_t>(ld);
    std::vector<Wide> array(length * static_cast<std::size_t>(by_rows ? a.rows : a.columns), 99);
    for (int i = 0; i < a.rows; ++i)
        for (int j = 0; j < a.columns; ++j)
            array[by_rows ? static_cast<std::size_t>(i) * length + static_cast<std::size_t>(j)
                          : static_cast<std::size_t>(j) * length + static_cast<std::size_t>(i)] = a(i, j);
    return array;
}

struct Blocked {  // the blocks of a sparse matrix that have any entry
    Sparse blocks;    // with values that mean nothing
    Sparse all;       // of the entries of these blocks, also if they are zero
    std::vector<Wide> values;

    Blocked(const Sparse& a, int height, int width, bool by_rows) {
        std::map<std::pair<int, int>, std::vector<Wide>> found;
        const std::size_t size = static_cast<std::size_t>(height) * static_cast<std::size_t>(width);
        for (const Entry& e : a.entries) {
            std::vector<Wide>& block = found[{e.row / height, e.column / width}];
            block.resize(size);
            const int i = e.row % height, j = e.column % width;
            block[static_cast<std::size_t>(by_rows ? i * width + j : j * height + i)] = e.value;
        }
        blocks = {(a.rows + height - 1) / height, (a.columns + width - 1) / width, {}};
        all = {blocks.rows * height, blocks.columns * width, {}};
        for (const auto& [at, block] : found) {
            blocks.entries.push_back({at.first, at.second, 0});
            values.insert(values.end(), block.begin(), block.end());
            for (int i = 0; i < height; ++i)
                for (int j = 0; j < width; ++j)
                    all.entries.push_back({at.first * height + i, at.second * width + j,
                                           block[static_cast<std::size_t>(by_rows ? i * width + j : j * height + i)]});
        }
        std::sort(all.entries.begin(), all.entries.end());
    }
};

// ---- their shapes

enum class Kind { random, diagonal, banded, long_row, half_empty };

struct Shape {
    const char* name;
    int rows, columns;
    Kind kind;
    int per_row;
};

constexpr Shape shapes[] = {
    {"1x1", 1, 1, Kind::diagonal, 1},
    {"diagonal 200x200", 200, 200, Kind::diagonal, 1},
    {"half empty 300x250", 300, 250, Kind::half_empty, 6},
    {"random 1000x1000", 1000, 1000, Kind::random, 9},
    {"long row 701x3000", 701, 3000, Kind::long_row, 3},
    {"banded 513x513", 513, 513, Kind::banded, 7},
    {"wide 40x1500", 40, 1500, Kind::random, 90},
    {"tall 2500x30", 2500, 30, Kind::random, 3},
};
constexpr Shape squares[] = {
    {"1x1", 1, 1, Kind::diagonal, 1},
    {"random 400x400", 400, 400, Kind::random, 5},
    {"banded 130x130", 130, 130, Kind::banded, 5},
    {"long row 257x257", 257, 257, Kind::long_row, 2},
};

static Sparse made(const Shape& shape, bool complex) {
    random_state = static_cast<std::uint64_t>(shape.rows * 31 + shape.columns);
    Sparse a = {shape.rows, shape.columns, {}};
    for (int row = 0; row < shape.rows; ++row) {
        std::vector<int> columns;
        int count = shape.kind == Kind::half_empty && random_below(2) == 0 ? 0 : random_below(2 * shape.per_row + 1);
        if (shape.kind == Kind::long_row && row == shape.rows / 3) count = shape.columns;
        for (int i = 0; i < count; ++i) columns.push_back(count == shape.columns ? i : random_below(shape.columns));
        if (shape.kind == Kind::diagonal) columns = {row};
        if (shape.kind == Kind::banded) {
            columns.clear();
            for (int i = row - shape.per_row / 2; i <= row + shape.per_row / 2; ++i)
                if (i >= 0 && i < shape.columns) columns.push_back(i);
        }
        std::sort(columns.begin(), columns.end());
        columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
        for (const int column : columns) a.entries.push_back({row, column, random_number(complex)});
    }
    return a;
}

/// Of a symmetric pattern, Hermitian if wanted, whose diagonal outweighs the rest of each row and column.
static Sparse dominated(const Shape& shape, bool complex, bool hermitian) {
    Sparse a = made(shape, complex);
    const Sparse other = applied(conjugate, a);
    a = hermitian ? add(0.5, a, 0.5, other) : add(1, a, 0, other);
    std::vector<double> sums(static_cast<std::size_t>(a.rows));
    Sparse rest = {a.rows, a.columns, {}};
    for (const Entry& e : a.entries)
        if (e.row != e.column) {
            rest.entries.push_back(e);
            sums[static_cast<std::size_t>(e.row)] += std::abs(e.value);
            sums[static_cast<std::size_t>(e.column)] += std::abs(e.value);
        }
    for (int i = 0; i < a.rows; ++i) {
        const double weight = std::ceil(sums[static_cast<std::size_t>(i)]) + 1;
        rest.entries.push_back({i, i, {weight, complex && !hermitian ? 0.5 : 0}});
    }
    std::sort(rest.entries.begin(), rest.entries.end());
    return rest;
}

template <typename T>
struct Csr {
    Device<int> pointers, indices;
    Device<T> values;
    Csr(const Sparse& a, int base)
        : pointers(a.row_pointers(base)), indices(a.column_indices(base)), values(a.values()) {}
    Csr(const Blocked& a, int base)
        : pointers(a.blocks.row_pointers(base)), indices(a.blocks.column_indices(base)), values(a.values) {}
    /// Of some pattern that is to be filled.
    Csr(int rows, int count) : pointers(rows + 1), indices(count), values(count) {}
    void check(const Sparse& a, int base) const {
        expect("pointers", pointers, a.row_pointers(base));
        expect("indices", indices, a.column_indices(base));
        expect("values", values, a.values());
    }
};

using Buffer = Device<char>;

static rocsparse_index_base base_of(int base) { return static_cast<rocsparse_index_base>(base); }
static rocsparse_direction direction_of(bool by_rows) {
    return by_rows ? rocsparse_direction_row : rocsparse_direction_column;
}

// ---- vectors

template <typename T>
static void test_vectors() {
    constexpr bool complex = is_complex<T>;
    for (const int count : {1, 100, 5000})
        for (const int base : {0, 1}) {
            random_state = static_cast<std::uint64_t>(count);
            std::vector<int> at, indices;
            for (int i = 0, next = 0; i < count; ++i, next += 1 + random_below(4))
                at.push_back(next), indices.push_back(next + base);
            std::reverse(indices.begin(), indices.begin() + count / 2);
            std::reverse(at.begin(), at.begin() + count / 2);
            const int size = *std::max_element(at.begin(), at.end()) + 3;
            const std::vector<Wide> x = random_numbers(count, complex), y = random_numbers(size, complex);
            const Device<int> ind(indices);
            const rocsparse_index_base index_base = base_of(base);
            const auto name = [&](const char* routine) { return text(routine, type_name<T>, count, "base", base); };
            std::vector<Wide> gathered, sum = y, scattered = y, zeroed = y, axpby = y, rotated_x = x, rotated_y = y;
            Wide dot, conjugated;
            for (std::size_t i = 0; i < at.size(); ++i) {
                const std::size_t k = static_cast<std::size_t>(at[i]);
                gathered.push_back(y[k]);
                scattered[k] = x[i];
                zeroed[k] = 0;
                sum[k] += alpha<T> * x[i];
                dot += x[i] * y[k];
                conjugated += std::conj(x[i]) * y[k];
                rotated_x[i] = 0.75 * x[i] + 0.5 * y[k];
                rotated_y[k] = 0.75 * y[k] - 0.5 * x[i];
            }
            for (Wide& v : axpby) v *= beta<T>;
            for (std::size_t i = 0; i < at.size(); ++i) axpby[static_cast<std::size_t>(at[i])] += alpha<T> * x[i];

            test(name("axpyi"), [&] {
                const Device<T> dx(x), dy(y);
                Scalar<T> a(alpha<T>);
                MUST(typed::axpyi<T>(handle, count, a.pointer(), dx, ind, dy, index_base));
                expect("y", dy, sum);
            });
            test(name("doti"), [&] {
                const Device<T> dx(x), dy(y);
                Scalar<T> result;
                MUST(typed::doti<T>(handle, count, dx, ind, dy, result.pointer(), index_base));
                expect("result", std::vector<T>{result.value()}, {narrow<T>(dot)});
            });
            if constexpr (complex)
                test(name("dotci"), [&] {
                    const Device<T> dx(x), dy(y);
                    Scalar<T> result;
                    MUST(typed::dotci<T>(handle, count, dx, ind, dy, result.pointer(), index_base));
                    expect("result", std::vector<T>{result.value()}, {narrow<T>(conjugated)});
                });
            else
                test(name("roti"), [&] {
                    const Device<T> dx(x), dy(y);
                    Scalar<T> c(0.75), s(0.5);
                    MUST(typed::roti<T>(handle, count, dx, ind, dy, c.pointer(), s.pointer(), index_base));
                    expect("x", dx, rotated_x);
                    expect("y", dy, rotated_y);
                });
            test(name("gthr"), [&] {
                const Device<T> dx(count), dy(y);
                MUST(typed::gthr<T>(handle, count, dy, dx, ind, index_base));
                expect("x", dx, gathered);
            });
            test(name("gthrz"), [&] {
                const Device<T> dx(count), dy(y);
                MUST(typed::gthrz<T>(handle, count, dy, dx, ind, index_base));
                expect("x", dx, gathered);
                expect("y", dy, zeroed);
            });
            test(name("sctr"), [&] {
                const Device<T> dx(x), dy(y);
                MUST(typed::sctr<T>(handle, count, dx, ind, dy, index_base));
                expect("y", dy, scattered);
            });

            for (const bool wide_indices : {false, true}) {
                const Device<std::int64_t> ind64(std::vector<std::int64_t>(indices.begin(), indices.end()));
                void* const indices_at =
                    wide_indices ? static_cast<void*>(static_cast<std::int64_t*>(ind64)) : static_cast<int*>(ind);
                const auto generic = [&](const char* routine, const std::vector<Wide>& from, auto body) {
                    test(text(name(routine), wide_indices ? "64-bit indices" : ""), [&] {
                        const Device<T> dx(from), dy(y);
                        SparseVector sx;
                        DenseVector sy;
                        MUST(rocsparse_create_spvec_descr(
                            &sx.it, size, count, indices_at, static_cast<T*>(dx),
                            wide_indices ? rocsparse_indextype_i64 : rocsparse_indextype_i32, index_base, datatype<T>));
                        MUST(rocsparse_create_dnvec_descr(&sy.it, size, static_cast<T*>(dy), datatype<T>));
                        body(sx, sy, dx, dy);
                    });
                };
                generic("axpby", x, [&](auto& sx, auto& sy, auto&, auto& dy) {
                    Scalar<T> a(alpha<T>), b(beta<T>);
                    MUST(rocsparse_axpby(handle, a.pointer(), sx, b.pointer(), sy));
                    expect("y", dy, axpby);
                });
                generic("gather", std::vector<Wide>(x.size()), [&](auto& sx, auto& sy, auto& dx, auto&) {
                    MUST(rocsparse_gather(handle, sy, sx));
                    expect("x", dx, gathered);
                });
                generic("scatter", x, [&](auto& sx, auto& sy, auto&, auto& dy) {
                    MUST(rocsparse_scatter(handle, sx, sy));
                    expect("y", dy, scattered);
                });
                if (!complex)
                    generic("rot", x, [&](auto& sx, auto& sy, auto& dx, auto& dy) {
                        Scalar<T> c(0.75), s(0.5);
                        MUST(rocsparse_rot(handle, c.pointer(), s.pointer(), sx, sy));
                        expect("x", dx, rotated_x);
                        expect("y", dy, rotated_y);
                    });
                for (const rocsparse_operation op : {none, conjugate})
                    if (op == none || complex)
                        generic(op == none ? "spvv" : "spvv conjugated", x, [&](auto& sx, auto& sy, auto&, auto&) {
                            Scalar<T> result;
                            std::size_t bytes = 0;
                            MUST(rocsparse_spvv(handle, op, sx, sy, result.pointer(), datatype<T>, &bytes, nullptr));
                            const Buffer buffer(bytes);
                            MUST(rocsparse_spvv(handle, op, sx, sy, result.pointer(), datatype<T>, &bytes, buffer));
                            expect("result", std::vector<T>{result.value()},
                                   {narrow<T>(op == none ? dot : conjugated)});
                        });
            }
        }
}

// ---- a matrix and a vector

constexpr int block_sizes[] = {1, 2, 3, 4, 5, 7, 8, 13, 16, 17, 33};
constexpr int block_shapes[][2] = {{1, 3}, {2, 1}, {2, 3}, {3, 2}, {4, 4}, {5, 2}, {8, 3}, {7, 16}, {17, 5}};

template <typename T>
static void test_matrix_vector(const Shape& shape) {
    constexpr bool complex = is_complex<T>;
    const Sparse a = made(shape, complex);
    const int m = a.rows, n = a.columns, count = a.count();
    for (const rocsparse_operation op : {none, transpose, conjugate}) {
        const Sparse opa = applied(op, a);
        const Dense x(opa.columns, 1, complex), y(opa.rows, 1, complex);
        const std::vector<Wide> expected = multiply(alpha<T>, opa, x, beta<T>, y).values;
        const Device<T> dx(x.values);
        for (const int base : {0, 1}) {
            const Csr<T> csr(a, base);
            const Device<int> rows(a.row_indices(base));
            const Description description(base);
            const auto check = [&](const char* routine, auto body) {
                test(text(routine, type_name<T>, shape.name, name_of(op), "base", base), [&] {
                    const Device<T> dy(y.values);
                    Scalar<T> s(alpha<T>), t(beta<T>);
                    body(s.pointer(), t.pointer(), dy);
                    expect("y", dy, expected);
                });
            };
            check("csrmv", [&](T* s, T* t, T* dy) {
                MUST(typed::csrmv<T>(handle, op, m, n, count, s, description, csr.values, csr.pointers, csr.indices,
                                     nullptr, dx, t, dy));
            });
            check("csrmv analysed", [&](T* s, T* t, T* dy) {
                const Info info;
                MUST(typed::csrmv_analysis<T>(handle, op, m, n, count, description, csr.values, csr.pointers,
                                              csr.indices, info));
                MUST(typed::csrmv<T>(handle, op, m, n, count, s, description, csr.values, csr.pointers, csr.indices,
                                     info, dx, t, dy));
                MUST(rocsparse_csrmv_clear(handle, info));
            });
            check("coomv", [&](T* s, T* t, T* dy) {
                MUST(
                    typed::coomv<T>(handle, op, m, n, count, s, description, csr.values, rows, csr.indices, dx, t, dy));
            });
            if (shape.kind != Kind::long_row)
                check("ellmv", [&](T* s, T* t, T* dy) {
                    Scalar<int> width;
                    MUST(rocsparse_csr2ell_width(handle, m, description, csr.pointers, description, width.pointer()));
                    const Device<T> values(width.value() * m);
                    const Device<int> indices(width.value() * m);
                    MUST(typed::csr2ell<T>(handle, m, description, csr.values, csr.pointers, csr.indices, description,
                                           width.value(), values, indices));
                    MUST(typed::ellmv<T>(handle, op, m, n, s, description, values, indices, width.value(), dx, t, dy));
                });
            if (op != none) continue;
            const std::vector<int> counts = a.row_counts();
            const bool fits = *std::max_element(counts.begin(), counts.end()) <=
                              (2 * count - 1) / m + 1;  // which widths must not exceed
            for (const rocsparse_hyb_partition partition :
                 {rocsparse_hyb_partition_auto, rocsparse_hyb_partition_user, rocsparse_hyb_partition_max})
                if (partition != rocsparse_hyb_partition_max || fits)
                    check(partition == rocsparse_hyb_partition_auto   ? "hybmv auto"
                          : partition == rocsparse_hyb_partition_user ? "hybmv user"
                                                                      : "hybmv max",
                          [&](T* s, T* t, T* dy) {
                              Hybrid hybrid;
                              MUST(rocsparse_create_hyb_mat(&hybrid.it));
                              MUST(typed::csr2hyb<T>(handle, m, n, description, csr.values, csr.pointers, csr.indices,
                                                     hybrid, count / m, partition));
                              MUST(typed::hybmv<T>(handle, op, s, description, hybrid, dx, t, dy));
                              std::size_t bytes = 0;
                              MUST(rocsparse_hyb2csr_buffer_size(handle, description, hybrid, csr.pointers, &bytes));
                              const Buffer buffer(bytes);
                              const Csr<T> back(m, count);
                              MUST(typed::hyb2csr<T>(handle, description, hybrid, back.values, back.pointers,
                                                     back.indices, buffer));
                              back.check(a, base);
                          });
        }
    }

    test(text("gemvi", type_name<T>, shape.name), [&] {
        const Dense b(m, std::min(n, 300), complex), y(m, 1, complex);
        Dense x(b.columns, 1);
        std::vector<int> at;  // from zero, as it heeds no base
        std::vector<Wide> values;
        for (int i = 0; i < b.columns; i += 1 + random_below(3)) {
            at.push_back(i);
            values.push_back(x(i, 0) = random_number(complex));
        }
        Sparse full = {m, b.columns, {}};
        for (int i = 0; i < m; ++i)
            for (int j = 0; j < b.columns; ++j) full.entries.push_back({i, j, b(i, j)});
        const Device<T> db(packed(b, m + 3)), dx(values), dy(y.values);
        const Device<int> indices(at);
        const int nonzero = static_cast<int>(at.size());
        Scalar<T> s(alpha<T>), t(beta<T>);
        std::size_t bytes = 0;
        MUST(typed::gemvi_buffer_size<T>(handle, none, m, b.columns, nonzero, &bytes));
        const Buffer buffer(bytes);
        MUST(typed::gemvi<T>(handle, none, m, b.columns, s.pointer(), db, m + 3, nonzero, dx, indices, t.pointer(), dy,
                             rocsparse_index_base_zero, buffer));
        expect("y", dy, multiply(alpha<T>, full, x, beta<T>, y).values);
    });
    if (count > 5000) return;
    for (const bool by_rows : {false, true})
        for (const int size : block_sizes) {
            const int base = size % 2;
            const auto check = [&](const char* routine, auto body) {
                test(text(routine, type_name<T>, shape.name, by_rows ? "by rows" : "by columns", size), [&] {
                    const Blocked blocked(a, size, size, by_rows);
                    const Csr<T> bsr(blocked, base);
                    const Dense x(blocked.all.columns, 1, complex), y(blocked.all.rows, 1, complex);
                    const Device<T> dx(x.values), dy(y.values);
                    Scalar<T> s(alpha<T>), t(beta<T>);
                    std::vector<Wide> expected = multiply(alpha<T>, blocked.all, x, beta<T>, y).values;
                    body(blocked.blocks, bsr, dx, dy, s.pointer(), t.pointer(), y.values, expected);
                    expect("y", dy, expected);
                });
            };
            check("bsrmv", [&](const Sparse& blocks, const Csr<T>& bsr, T* dx, T* dy, T* s, T* t, auto&, auto&) {
                MUST(typed::bsrmv<T>(handle, direction_of(by_rows), none, blocks.rows, blocks.columns, blocks.count(),
                                     s, Description(base), bsr.values, bsr.pointers, bsr.indices, size, dx, t, dy));
            });
            if (size == 1) continue;
            check("bsrxmv",
                  [&](const Sparse& blocks, const Csr<T>& bsr, T* dx, T* dy, T* s, T* t, auto& y, auto& expected) {
                      std::vector<int> mask, begins = blocks.row_pointers(base), ends(begins.begin() + 1, begins.end());
                      begins.pop_back();
                      for (int i = 0; i < blocks.rows * size; ++i) {  // every third block row
                          if (i / size % 3 != 0) expected[static_cast<std::size_t>(i)] = y[static_cast<std::size_t>(i)];
                          if (i / size % 3 == 0 && i % size == 0) mask.push_back(i / size + base);
                      }
                      const Device<int> dmask(mask), dbegins(begins), dends(ends);
                      MUST(typed::bsrxmv<T>(handle, direction_of(by_rows), none, static_cast<int>(mask.size()),
                                            blocks.rows, blocks.columns, blocks.count(), s, Description(base),
                                            bsr.values, dmask, dbegins, dends, bsr.indices, size, dx, t, dy));
                  });
        }
    for (const bool by_rows : {false, true})
        for (const auto& [height, width] : block_shapes)
            test(text("gebsrmv", type_name<T>, shape.name, by_rows ? "by rows" : "by columns", height, width),
                 [&, height = height, width = width] {
                     const int base = width % 2;
                     const Blocked blocked(a, height, width, by_rows);
                     const Csr<T> bsr(blocked, base);
                     const Dense x(blocked.all.columns, 1, complex), y(blocked.all.rows, 1, complex);
                     const Device<T> dx(x.values), dy(y.values);
                     Scalar<T> s(alpha<T>), t(beta<T>);
                     MUST(typed::gebsrmv<T>(handle, direction_of(by_rows), none, blocked.blocks.rows,
                                            blocked.blocks.columns, blocked.blocks.count(), s.pointer(),
                                            Description(base), bsr.values, bsr.pointers, bsr.indices, height, width, dx,
                                            t.pointer(), dy));
                     expect("y", dy, multiply(alpha<T>, blocked.all, x, beta<T>, y).values);
                 });
}

// ---- from one storage to another

template <typename T>
static void test_conversions(const Shape& shape) {
    constexpr bool complex = is_complex<T>;
    const Sparse a = made(shape, complex), at = applied(transpose, a);
    const int m = a.rows, n = a.columns, count = a.count(), ld = m + 2;
    const bool is_small = static_cast<std::size_t>(m) * static_cast<std::size_t>(n) <= 300000;
    for (const int base : {0, 1}) {
        const Csr<T> csr(a, base);
        const Description description(base), other(1 - base);
        const rocsparse_index_base index_base = base_of(base);
        const auto check = [&](const char* routine, auto body) {
            test(text(routine, type_name<T>, shape.name, "base", base), body);
        };
        if (is_single<T> && !complex) {  // those without numbers
            check("csr2coo", [&] {
                const Device<int> rows(count);
                MUST(rocsparse_csr2coo(handle, csr.pointers, count, m, rows, index_base));
                expect("rows", rows, a.row_indices(base));
            });
            check("coo2csr", [&] {
                const Device<int> rows(a.row_indices(base)), pointers(m + 1);
                MUST(rocsparse_coo2csr(handle, rows, count, m, pointers, index_base));
                expect("pointers", pointers, a.row_pointers(base));
            });
            check("create_identity_permutation", [&] {
                const Device<int> permutation(count);
                std::vector<int> expected(static_cast<std::size_t>(count));
                std::iota(expected.begin(), expected.end(), 0);
                MUST(rocsparse_create_identity_permutation(handle, count, permutation));
                expect("permutation", permutation, expected);
            });
            // Entries in disorder, each of them with its number.
            Sparse mixed = a;
            for (int i = count - 1; i > 0; --i)
                std::swap(mixed.entries[static_cast<std::size_t>(i)],
                          mixed.entries[static_cast<std::size_t>(random_below(i + 1))]);
            const auto numbered = [](const Sparse& from, std::vector<int>& numbers, auto less) {
                Sparse sorted = from;
                for (std::size_t i = 0; i < sorted.entries.size(); ++i)
                    sorted.entries[i].value = static_cast<double>(i);
                std::stable_sort(sorted.entries.begin(), sorted.entries.end(), less);
                for (const Entry& e : sorted.entries) numbers.push_back(static_cast<int>(e.value.real()));
                return sorted;
            };
            std::vector<int> identity(static_cast<std::size_t>(count));
            std::iota(identity.begin(), identity.end(), 0);
            const auto by_column = [](const Entry& e, const Entry& f) {
                return e.column != f.column ? e.column < f.column : e.row < f.row;
            };
            for (const bool columns : {false, true})
                check(columns ? "coosort_by_column" : "coosort_by_row", [&] {
                    std::vector<int> numbers;
                    const Sparse sorted =
                        columns ? numbered(mixed, numbers, by_column) : numbered(mixed, numbers, operator<);
                    const Device<int> rows(mixed.row_indices(base)), cols(mixed.column_indices(base)),
                        permutation(identity);
                    std::size_t bytes = 0;
                    MUST(rocsparse_coosort_buffer_size(handle, m, n, count, rows, cols, &bytes));
                    const Buffer buffer(bytes);
                    MUST((columns ? rocsparse_coosort_by_column : rocsparse_coosort_by_row)(handle, m, n, count, rows,
                                                                                            cols, permutation, buffer));
                    expect("rows", rows, sorted.row_indices(base));
                    expect("columns", cols, sorted.column_indices(base));
                    expect("permutation", permutation, numbers);
                });
            std::stable_sort(mixed.entries.begin(), mixed.entries.end(),
                             [](const Entry& e, const Entry& f) { return e.row < f.row; });
            for (const bool columns : {false, true})
                check(columns ? "cscsort" : "csrsort", [&] {
                    std::vector<int> numbers;
                    const Sparse sorted = numbered(mixed, numbers, operator<);
                    const Device<int> indices(mixed.column_indices(base)), permutation(identity);
                    std::size_t bytes = 0;
                    const int rows = columns ? n : m, cols = columns ? m : n;
                    MUST((columns ? rocsparse_cscsort_buffer_size : rocsparse_csrsort_buffer_size)(
                        handle, rows, cols, count, csr.pointers, indices, &bytes));
                    const Buffer buffer(bytes);
                    MUST((columns ? rocsparse_cscsort : rocsparse_csrsort)(handle, rows, cols, count, description,
                                                                           csr.pointers, indices, permutation, buffer));
                    expect("indices", indices, sorted.column_indices(base));
                    expect("permutation", permutation, numbers);
                });
        }
        check("csr2csc", [&] {
            const Csr<T> csc(n, count);
            std::size_t bytes = 0;
            MUST(rocsparse_csr2csc_buffer_size(handle, m, n, count, csr.pointers, csr.indices, rocsparse_action_numeric,
                                               &bytes));
            const Buffer buffer(bytes);
            MUST(typed::csr2csc<T>(handle, m, n, count, csr.values, csr.pointers, csr.indices, csc.values, csc.indices,
                                   csc.pointers, rocsparse_action_numeric, index_base, buffer));
            csc.check(at, base);
        });
        if (shape.kind != Kind::long_row)
            check("csr2ell, ell2csr", [&] {
                const std::vector<int> counts = a.row_counts();
                const int width = *std::max_element(counts.begin(), counts.end());
                Scalar<int> found_width, found_count;
                MUST(rocsparse_csr2ell_width(handle, m, description, csr.pointers, other, found_width.pointer()));
                expect("width", found_width.value(), width);
                std::vector<int> indices(static_cast<std::size_t>(width * m), -1);
                std::vector<Wide> values(indices.size());
                std::vector<int> filled(static_cast<std::size_t>(m));
                for (const Entry& e : a.entries) {
                    const std::size_t place =
                        static_cast<std::size_t>(filled[static_cast<std::size_t>(e.row)]++ * m + e.row);
                    indices[place] = e.column + 1 - base;
                    values[place] = e.value;
                }
                const Device<T> ell_values(width * m);
                const Device<int> ell_indices(width * m);
                MUST(typed::csr2ell<T>(handle, m, description, csr.values, csr.pointers, csr.indices, other, width,
                                       ell_values, ell_indices));
                expect("indices", ell_indices, indices);
                expect("values", ell_values, values);
                const Csr<T> back(m, count);
                MUST(rocsparse_ell2csr_nnz(handle, m, n, other, width, ell_indices, description, back.pointers,
                                           found_count.pointer()));
                expect("count", found_count.value(), count);
                MUST(typed::ell2csr<T>(handle, m, n, other, width, ell_values, ell_indices, description, back.values,
                                       back.pointers, back.indices));
                back.check(a, base);
            });
        if (count <= 5000)
            for (const bool by_rows : {false, true}) {
                const rocsparse_direction direction = direction_of(by_rows);
                for (const int size : block_sizes)
                    test(text("csr2bsr, bsr2csr", type_name<T>, shape.name, "base", base,
                              by_rows ? "by rows" : "by columns", size),
                         [&] {
                             const Blocked blocked(a, size, size, by_rows);
                             const int mb = blocked.blocks.rows, nb = blocked.blocks.columns,
                                       blocks = blocked.blocks.count();
                             const Csr<T> expected(blocked, 1 - base), back(blocked.all.rows, blocked.all.count());
                             const Device<int> pointers(mb + 1), indices(blocks);
                             const Device<T> values(blocked.values.size());
                             Scalar<int> found;
                             MUST(rocsparse_csr2bsr_nnz(handle, direction, m, n, description, csr.pointers, csr.indices,
                                                        size, other, pointers, found.pointer()));
                             expect("count", found.value(), blocks);
                             MUST(typed::csr2bsr<T>(handle, direction, m, n, description, csr.values, csr.pointers,
                                                    csr.indices, size, other, values, pointers, indices));
                             expect("pointers", pointers, expected.pointers.host());
                             expect("indices", indices, expected.indices.host());
                             expect("values", values, blocked.values);
                             MUST(typed::bsr2csr<T>(handle, direction, mb, nb, other, values, pointers, indices, size,
                                                    description, back.values, back.pointers, back.indices));
                             back.check(blocked.all, base);
                         });
                for (const auto& [height, width] : block_shapes)
                    test(text("csr2gebsr, gebsr2csr, gebsr2gebsc, gebsr2gebsr", type_name<T>, shape.name, "base", base,
                              by_rows ? "by rows" : "by columns", height, width),
                         [&, height = height, width = width] {
                             const Blocked blocked(a, height, width, by_rows);
                             const int mb = blocked.blocks.rows, nb = blocked.blocks.columns,
                                       blocks = blocked.blocks.count();
                             const Csr<T> expected(blocked, 1 - base), back(blocked.all.rows, blocked.all.count());
                             const Device<int> pointers(mb + 1), indices(blocks);
                             const Device<T> values(blocked.values.size());
                             Scalar<int> found;
                             std::size_t bytes = 0;
                             Scalar<std::size_t> needed;
                             MUST(typed::csr2gebsr_buffer_size<T>(handle, direction, m, n, description, csr.values,
                                                                  csr.pointers, csr.indices, height, width,
                                                                  needed.pointer()));
                             const Buffer buffer(needed.value());
                             MUST(rocsparse_csr2gebsr_nnz(handle, direction, m, n, description, csr.pointers,
                                                          csr.indices, other, pointers, height, width, found.pointer(),
                                                          buffer));
                             expect("count", found.value(), blocks);
                             MUST(typed::csr2gebsr<T>(handle, direction, m, n, description, csr.values, csr.pointers,
                                                      csr.indices, other, values, pointers, indices, height, width,
                                                      buffer));
                             expect("pointers", pointers, expected.pointers.host());
                             expect("indices", indices, expected.indices.host());
                             expect("values", values, blocked.values);
                             MUST(typed::gebsr2csr<T>(handle, direction, mb, nb, other, values, pointers, indices,
                                                      height, width, description, back.values, back.pointers,
                                                      back.indices));
                             back.check(blocked.all, base);

                             Sparse numbers = blocked.blocks;  // of the blocks, to tell where they go
                             for (std::size_t i = 0; i < numbers.entries.size(); ++i)
                                 numbers.entries[i].value = static_cast<double>(i);
                             numbers = applied(transpose, numbers);
                             std::vector<Wide> moved;
                             const std::size_t size = static_cast<std::size_t>(height * width);
                             for (const Entry& e : numbers.entries)
                                 for (std::size_t i = 0; i < size; ++i)
                                     moved.push_back(
                                         blocked.values[static_cast<std::size_t>(e.value.real()) * size + i]);
                             const Device<int> column_pointers(nb + 1), row_indices(blocks);
                             const Device<T> column_values(moved.size());
                             MUST(typed::gebsr2gebsc_buffer_size<T>(handle, mb, nb, blocks, values, pointers, indices,
                                                                    height, width, &bytes));
                             const Buffer turning(bytes);
                             MUST(typed::gebsr2gebsc<T>(handle, mb, nb, blocks, values, pointers, indices, height,
                                                        width, column_values, row_indices, column_pointers,
                                                        rocsparse_action_numeric, base_of(1 - base), turning));
                             expect("column pointers", column_pointers, numbers.row_pointers(1 - base));
                             expect("row indices", row_indices, numbers.column_indices(1 - base));
                             expect("values by columns", column_values, moved);

                             const int high = width + 1, wide_one = height + 2;
                             const Blocked resized(blocked.all, high, wide_one, by_rows);
                             const Device<int> new_pointers(resized.blocks.rows + 1);
                             MUST(typed::gebsr2gebsr_buffer_size<T>(handle, direction, mb, nb, blocks, other, values,
                                                                    pointers, indices, height, width, high, wide_one,
                                                                    &bytes));
                             const Buffer resizing(bytes);
                             MUST(rocsparse_gebsr2gebsr_nnz(handle, direction, mb, nb, blocks, other, pointers, indices,
                                                            height, width, description, new_pointers, high, wide_one,
                                                            found.pointer(), resizing));
                             expect("new pointers", new_pointers, resized.blocks.row_pointers(base));
                             expect("new count", found.value(), resized.blocks.count());
                             const Device<int> new_indices(resized.blocks.count());
                             const Device<T> new_values(resized.values.size());
                             MUST(typed::gebsr2gebsr<T>(handle, direction, mb, nb, blocks, other, values, pointers,
                                                        indices, height, width, description, new_values, new_pointers,
                                                        new_indices, high, wide_one, resizing));
                             expect("new indices", new_indices, resized.blocks.column_indices(base));
                             expect("new values", new_values, resized.values);
                         });
            }

        const double limit = 0.7;  // which is no number's absolute value
        Sparse larger = {m, n, {}};
        for (const Entry& e : a.entries)
            if (std::abs(e.value) > limit) larger.entries.push_back(e);
        check("nnz_compress, csr2csr_compress", [&] {
            const Device<int> counts(m);
            Scalar<int> found;
            MUST(typed::nnz_compress<T>(handle, m, description, csr.values, csr.pointers, counts, found.pointer(),
                                        narrow<T>(limit)));
            expect("counts", counts, larger.row_counts());
            expect("count", found.value(), larger.count());
            const Csr<T> compressed(m, larger.count());
            MUST(typed::csr2csr_compress<T>(handle, m, n, description, csr.values, csr.pointers, csr.indices, count,
                                            counts, compressed.values, compressed.pointers, compressed.indices,
                                            narrow<T>(limit)));
            compressed.check(larger, base);
        });

        const Dense full = dense_of(a);
        const auto pruned = [&](const char* name, const auto& count_of, const auto& prune, const Sparse& expected) {
            check(name, [&] {
                const Device<int> pointers(m + 1);
                Scalar<int> found;
                std::size_t bytes = 0;
                count_of(pointers, found, bytes);
                expect("pointers", pointers, expected.row_pointers(base));
                expect("count", found.value(), expected.count());
                const Csr<T> result(m, expected.count());
                prune(pointers, result);
                expect("indices", result.indices, expected.column_indices(base));
                expect("values", result.values, expected.values());
            });
        };
        if constexpr (!complex) {
            const double percentage = 30;
            const auto above = [&](std::size_t numbers) {  // those that are larger than so many percent of the numbers
                std::vector<double> sizes(numbers);
                for (std::size_t i = 0; i < a.entries.size(); ++i) sizes[i] = std::abs(a.entries[i].value);
                std::sort(sizes.begin(), sizes.end());
                const double position = std::ceil(static_cast<double>(numbers) * percentage / 100) - 1;
                const double least = sizes[static_cast<std::size_t>(std::max(position, 0.0))];
                Sparse rest = {m, n, {}};
                for (const Entry& e : a.entries)
                    if (std::abs(e.value) > least) rest.entries.push_back(e);
                return rest;
            };
            Scalar<T> threshold(limit);
            Info info;
            const Device<char> buffer(static_cast<std::size_t>(m) * static_cast<std::size_t>(n) * 40 + 100000);
            const auto enough = [&](std::size_t bytes) {
                if (bytes > static_cast<std::size_t>(m) * static_cast<std::size_t>(n) * 40 + 100000)
                    throw Wrong{text("needs", bytes, "bytes")};
            };
            pruned(
                "prune_csr2csr",
                [&](int* pointers, Scalar<int>& found, std::size_t& bytes) {
                    MUST(typed::prune_csr2csr_buffer_size<T>(handle, m, n, count, description, csr.values, csr.pointers,
                                                             csr.indices, threshold.pointer(), description, nullptr,
                                                             pointers, nullptr, &bytes));
                    enough(bytes);
                    MUST(typed::prune_csr2csr_nnz<T>(handle, m, n, count, description, csr.values, csr.pointers,
                                                     csr.indices, threshold.pointer(), description, pointers,
                                                     found.pointer(), buffer));
                },
                [&](int* pointers, const Csr<T>& to) {
                    MUST(typed::prune_csr2csr<T>(handle, m, n, count, description, csr.values, csr.pointers,
                                                 csr.indices, threshold.pointer(), description, to.values, pointers,
                                                 to.indices, buffer));
                },
                larger);
            pruned(
                "prune_csr2csr_by_percentage",
                [&](int* pointers, Scalar<int>& found, std::size_t& bytes) {
                    MUST(typed::prune_csr2csr_by_percentage_buffer_size<T>(
                        handle, m, n, count, description, csr.values, csr.pointers, csr.indices, percentage,
                        description, nullptr, pointers, nullptr, info, &bytes));
                    enough(bytes);
                    MUST(typed::prune_csr2csr_nnz_by_percentage<T>(handle, m, n, count, description, csr.values,
                                                                   csr.pointers, csr.indices, percentage, description,
                                                                   pointers, found.pointer(), info, buffer));
                },
                [&](int* pointers, const Csr<T>& to) {
                    MUST(typed::prune_csr2csr_by_percentage<T>(handle, m, n, count, description, csr.values,
                                                               csr.pointers, csr.indices, percentage, description,
                                                               to.values, pointers, to.indices, info, buffer));
                },
                above(a.entries.size()));
            if (is_small) {
                const Device<T> dense(packed(full, ld));
                pruned(
                    "prune_dense2csr",
                    [&](int* pointers, Scalar<int>& found, std::size_t& bytes) {
                        MUST(typed::prune_dense2csr_buffer_size<T>(handle, m, n, dense, ld, threshold.pointer(),
                                                                   description, nullptr, pointers, nullptr, &bytes));
                        enough(bytes);
                        MUST(typed::prune_dense2csr_nnz<T>(handle, m, n, dense, ld, threshold.pointer(), description,
                                                           pointers, found.pointer(), buffer));
                    },
                    [&](int* pointers, const Csr<T>& to) {
                        MUST(typed::prune_dense2csr<T>(handle, m, n, dense, ld, threshold.pointer(), description,
                                                       to.values, pointers, to.indices, buffer));
                    },
                    larger);
                pruned(
                    "prune_dense2csr_by_percentage",
                    [&](int* pointers, Scalar<int>& found, std::size_t& bytes) {
                        MUST(typed::prune_dense2csr_by_percentage_buffer_size<T>(handle, m, n, dense, ld, percentage,
                                                                                 description, nullptr, pointers,
                                                                                 nullptr, info, &bytes));
                        enough(bytes);
                        MUST(typed::prune_dense2csr_nnz_by_percentage<T>(
                            handle, m, n, dense, ld, percentage, description, pointers, found.pointer(), info, buffer));
                    },
                    [&](int* pointers, const Csr<T>& to) {
                        MUST(typed::prune_dense2csr_by_percentage<T>(handle, m, n, dense, ld, percentage, description,
                                                                     to.values, pointers, to.indices, info, buffer));
                    },
                    above(full.values.size()));
            }
        }

        if (!is_small) continue;
        const Csr<T> csc(at, base);
        for (const bool columns : {false, true})
            check(columns ? "nnz, dense2csc, csc2dense" : "nnz, dense2csr, csr2dense", [&] {
                const Sparse& to = columns ? at : a;
                const Device<T> dense(packed(full, ld)), back(packed(Dense(m, n), ld));
                const Device<int> counts(to.rows);
                Scalar<int> found;
                MUST(typed::nnz<T>(handle, direction_of(!columns), m, n, description, dense, ld, counts,
                                   found.pointer()));
                expect("counts", counts, to.row_counts());
                expect("count", found.value(), count);
                const Csr<T> result(to.rows, count);
                if (columns)
                    MUST(typed::dense2csc<T>(handle, m, n, description, dense, ld, counts, result.values,
                                             result.pointers, result.indices));
                else
                    MUST(typed::dense2csr<T>(handle, m, n, description, dense, ld, counts, result.values,
                                             result.pointers, result.indices));
                result.check(to, base);
                if (columns)
                    MUST(typed::csc2dense<T>(handle, m, n, description, result.values, result.pointers, result.indices,
                                             back, ld));
                else
                    MUST(typed::csr2dense<T>(handle, m, n, description, result.values, result.pointers, result.indices,
                                             back, ld));
                expect("dense", back, packed(full, ld));
            });
        check("dense2coo, coo2dense", [&] {
            const Device<T> dense(packed(full, ld)), values(count), back(packed(Dense(m, n), ld));
            const Device<int> counts(a.row_counts()), rows(count), columns(count);
            MUST(typed::dense2coo<T>(handle, m, n, description, dense, ld, counts, values, rows, columns));
            expect("rows", rows, a.row_indices(base));
            expect("columns", columns, a.column_indices(base));
            expect("values", values, a.values());
            MUST(typed::coo2dense<T>(handle, m, n, count, description, values, rows, columns, back, ld));
            expect("dense", back, packed(full, ld));
        });
    }
}

// ---- a sparse matrix and a dense one, or two sparse ones

template <typename T>
static void test_matrix_matrix(const Shape& shape) {
    constexpr bool complex = is_complex<T>;
    const Sparse a = made(shape, complex);
    int turn = 0;
    for (const rocsparse_operation op : {none, transpose, conjugate})
        for (const rocsparse_operation op_b : {none, transpose, conjugate})
            for (const int n : {5, 37}) {
                if (n > 5 && a.count() > 5000) continue;
                const int base = turn++ % 2;
                const Sparse opa = applied(op, a);
                const auto check = [&](const char* routine, auto body) {
                    test(text(routine, type_name<T>, shape.name, name_of(op), "by", n, name_of(op_b), "base", base),
                         body);
                };
                check("csrmm", [&] {
                    const Csr<T> csr(a, base);
                    const Dense b = op_b == none ? Dense(opa.columns, n, complex) : Dense(n, opa.columns, complex),
                                c(opa.rows, n, complex);
                    const Device<T> db(packed(b, b.rows + 1)), dc(packed(c, c.rows + 3));
                    Scalar<T> s(alpha<T>), t(beta<T>);
                    MUST(typed::csrmm<T>(handle, op, op_b, a.rows, n, a.columns, a.count(), s.pointer(),
                                         Description(base), csr.values, csr.pointers, csr.indices, db, b.rows + 1,
                                         t.pointer(), dc, c.rows + 3));
                    expect("C", dc, packed(multiply(alpha<T>, opa, applied(op_b, b), beta<T>, c), c.rows + 3));
                });
                if (op != none || op_b == conjugate) continue;
                if (op_b == transpose)
                    check("gemmi", [&] {  // C = alpha B A^T + beta C, of which the transpose is alpha A B^T + beta C^T
                        const Csr<T> csr(a, base);
                        const Dense b(n, a.columns, complex), c(n, a.rows, complex);
                        const Device<T> db(packed(b, n + 1)), dc(packed(c, n + 3));
                        Scalar<T> s(alpha<T>), t(beta<T>);
                        MUST(typed::gemmi<T>(handle, none, transpose, n, a.rows, a.columns, a.count(), s.pointer(), db,
                                             n + 1, Description(base), csr.values, csr.pointers, csr.indices,
                                             t.pointer(), dc, n + 3));
                        const Dense expected =
                            multiply(alpha<T>, a, applied(transpose, b), beta<T>, applied(transpose, c));
                        expect("C", dc, packed(applied(transpose, expected), n + 3));
                    });
                if (a.count() > 5000) continue;
                const auto blocks = [&](const char* routine, int height, int width, bool by_rows) {
                    test(text(routine, type_name<T>, shape.name, "by", n, name_of(op_b),
                              by_rows ? "by rows" : "by columns", height, width),
                         [&] {
                             const Blocked blocked(a, height, width, by_rows);
                             const Csr<T> bsr(blocked, base);
                             const int rows = blocked.all.rows, columns = blocked.all.columns;
                             const Dense b = op_b == none ? Dense(columns, n, complex) : Dense(n, columns, complex),
                                         c(rows, n, complex);
                             const Device<T> db(packed(b, b.rows + 1)), dc(packed(c, rows + 3));
                             Scalar<T> s(alpha<T>), t(beta<T>);
                             if (height == width)
                                 MUST(typed::bsrmm<T>(handle, direction_of(by_rows), none, op_b, blocked.blocks.rows, n,
                                                      blocked.blocks.columns, blocked.blocks.count(), s.pointer(),
                                                      Description(base), bsr.values, bsr.pointers, bsr.indices, height,
                                                      db, b.rows + 1, t.pointer(), dc, rows + 3));
                             else
                                 MUST(typed::gebsrmm<T>(handle, direction_of(by_rows), none, op_b, blocked.blocks.rows,
                                                        n, blocked.blocks.columns, blocked.blocks.count(), s.pointer(),
                                                        Description(base), bsr.values, bsr.pointers, bsr.indices,
                                                        height, width, db, b.rows + 1, t.pointer(), dc, rows + 3));
                             expect("C", dc,
                                    packed(multiply(alpha<T>, blocked.all, applied(op_b, b), beta<T>, c), rows + 3));
                         });
                };
                for (const bool by_rows : {false, true}) {
                    for (const int size : {1, 2, 3, 4, 6, 8, 13, 16, 29}) blocks("bsrmm", size, size, by_rows);
                    for (const auto& [height, width] : block_shapes)
                        if (height != width) blocks("gebsrmm", height, width, by_rows);
                }
            }

    Shape other_shape = shape;
    other_shape.per_row += 2;
    const Sparse other = made(other_shape, complex), right = applied(transpose, other), addend = multiply(a, right);
    for (const int base : {0, 1}) {
        const Csr<T> first(a, base), second(other, 1 - base), third(right, 1 - base);
        const Description description(base), reverse(1 - base);
        const auto check = [&](const char* routine, auto body) {
            test(text(routine, type_name<T>, shape.name, "base", base), body);
        };
        check("csrgeam", [&] {
            const Sparse expected = add(alpha<T>, a, beta<T>, other);
            const Device<int> pointers(a.rows + 1);
            Scalar<int> found;
            Scalar<T> s(alpha<T>), t(beta<T>);
            MUST(rocsparse_csrgeam_nnz(handle, a.rows, a.columns, description, a.count(), first.pointers, first.indices,
                                       reverse, other.count(), second.pointers, second.indices, description, pointers,
                                       found.pointer()));
            expect("pointers", pointers, expected.row_pointers(base));
            expect("count", found.value(), expected.count());
            const Csr<T> sum(a.rows, expected.count());
            MUST(typed::csrgeam<T>(handle, a.rows, a.columns, s.pointer(), description, a.count(), first.values,
                                   first.pointers, first.indices, t.pointer(), reverse, other.count(), second.values,
                                   second.pointers, second.indices, description, sum.values, pointers, sum.indices));
            expect("indices", sum.indices, expected.column_indices(base));
            expect("values", sum.values, expected.values());
        });
        if (addend.count() > 100000) continue;
        for (const bool with_addend : {false, true})
            check(with_addend ? "csrgemm and a matrix" : "csrgemm", [&] {
                const int m = a.rows, k = a.columns, n = a.rows;
                const Sparse d = made({"", m, n, Kind::random, 4}, complex);
                const Csr<T> fourth(d, base);
                Sparse expected = add(alpha<T>, addend, beta<T>, with_addend ? d : Sparse{m, n, {}});
                Scalar<T> s(alpha<T>), t(beta<T>);
                T* const factor = with_addend ? t.pointer() : nullptr;
                const Info info;
                std::size_t bytes = 0;
                Scalar<int> found;
                const Device<int> pointers(m + 1);
                MUST(typed::csrgemm_buffer_size<T>(handle, none, none, m, n, k, s.pointer(), description, a.count(),
                                                   first.pointers, first.indices, reverse, right.count(),
                                                   third.pointers, third.indices, factor, description, d.count(),
                                                   fourth.pointers, fourth.indices, info, &bytes));
                const Buffer buffer(bytes);
                MUST(rocsparse_csrgemm_nnz(handle, none, none, m, n, k, description, a.count(), first.pointers,
                                           first.indices, reverse, right.count(), third.pointers, third.indices,
                                           description, d.count(), fourth.pointers, fourth.indices, description,
                                           pointers, found.pointer(), info, buffer));
                expect("pointers", pointers, expected.row_pointers(base));
                expect("count", found.value(), expected.count());
                const Csr<T> product(m, expected.count());
                MUST(typed::csrgemm<T>(handle, none, none, m, n, k, s.pointer(), description, a.count(), first.values,
                                       first.pointers, first.indices, reverse, right.count(), third.values,
                                       third.pointers, third.indices, factor, description, d.count(), fourth.values,
                                       fourth.pointers, fourth.indices, description, product.values, pointers,
                                       product.indices, info, buffer));
                expect("indices", product.indices, expected.column_indices(base));
                expect("values", product.values, expected.values());
            });
    }
}

// ---- triangles

constexpr rocsparse_solve_policy policy = rocsparse_solve_policy_auto;
constexpr rocsparse_analysis_policy force = rocsparse_analysis_policy_force;

template <typename T>
static void test_triangles(const Shape& shape) {
    constexpr bool complex = is_complex<T>;
    const Sparse a = dominated(shape, complex, false);
    const int m = a.rows;
    int turn = 0;
    for (const bool lower : {false, true})
        for (const bool unit : {false, true})
            for (const rocsparse_operation op : {none, transpose, conjugate}) {
                const int base = turn++ % 2;
                Sparse scaled = a;  // so that a triangle with a unit diagonal has no large inverse
                for (Entry& e : scaled.entries)
                    if (unit && e.row != e.column) e.value /= 64;
                const auto check = [&](const char* routine, int size, const Sparse& matrix, auto body) {
                    test(text(routine, type_name<T>, shape.name, lower ? "lower" : "upper", unit ? "unit" : "",
                              name_of(op), size, "base", base),
                         [&] {
                             const Description description(
                                 base, lower ? rocsparse_fill_mode_lower : rocsparse_fill_mode_upper, unit);
                             const Info info;
                             Scalar<T> s(alpha<T>);
                             body(applied(op, matrix), lower == (op == none), description, info, s.pointer());
                         });
                };
                check("csrsv", 1, scaled,
                      [&](const Sparse& opa, bool is_lower, rocsparse_mat_descr description, rocsparse_mat_info info,
                          T* s) {
                          const Csr<T> csr(scaled, base);
                          const Dense x(m, 1, complex);
                          const Device<T> dx(x.values), dy(m);
                          std::size_t bytes = 0;
                          MUST(typed::csrsv_buffer_size<T>(handle, op, m, a.count(), description, csr.values,
                                                           csr.pointers, csr.indices, info, &bytes));
                          const Buffer buffer(bytes);
                          MUST(typed::csrsv_analysis<T>(handle, op, m, a.count(), description, csr.values, csr.pointers,
                                                        csr.indices, info, force, policy, buffer));
                          MUST(typed::csrsv_solve<T>(handle, op, m, a.count(), s, description, csr.values, csr.pointers,
                                                     csr.indices, info, dx, dy, policy, buffer));
                          expect("y", dy, solve(opa, is_lower, unit, alpha<T>, x).values, rounding<T>);
                      });
                for (const rocsparse_operation op_b : {none, transpose})
                    for (const int n : {3, 35})
                        if (op != conjugate)
                            check(op_b == none ? "csrsm" : "csrsm, transposed", n, scaled,
                                  [&](const Sparse& opa, bool is_lower, rocsparse_mat_descr description,
                                      rocsparse_mat_info info, T* s) {
                                      const Csr<T> csr(scaled, base);
                                      const Dense b(m, n, complex);
                                      const int ld = (op_b == none ? m : n) + 2;
                                      const Device<T> db(packed(applied(op_b, b), ld));
                                      std::size_t bytes = 0;
                                      MUST(typed::csrsm_buffer_size<T>(handle, op, op_b, m, n, a.count(), s,
                                                                       description, csr.values, csr.pointers,
                                                                       csr.indices, db, ld, info, policy, &bytes));
                                      const Buffer buffer(bytes);
                                      MUST(typed::csrsm_analysis<T>(handle, op, op_b, m, n, a.count(), s, description,
                                                                    csr.values, csr.pointers, csr.indices, db, ld, info,
                                                                    force, policy, buffer));
                                      MUST(typed::csrsm_solve<T>(handle, op, op_b, m, n, a.count(), s, description,
                                                                 csr.values, csr.pointers, csr.indices, db, ld, info,
                                                                 policy, buffer));
                                      expect("X", db,
                                             packed(applied(op_b, solve(opa, is_lower, unit, alpha<T>, b)), ld),
                                             rounding<T>);
                                  });
                if (op == conjugate) continue;
                for (const int size : {2, 3, 4, 8, 16, 20}) {
                    const bool by_rows = size % 4 != 0;
                    Blocked blocked(scaled, size, size, by_rows);
                    const int mb = blocked.blocks.rows, rows = blocked.all.rows, blocks = blocked.blocks.count();
                    for (int i = m; i < rows; ++i) {  // the last block's diagonal is not full
                        const std::size_t at = blocked.values.size() -
                                               static_cast<std::size_t>((rows - i) * (size + 1)) +
                                               static_cast<std::size_t>(size);
                        blocked.values[at] = 1;
                        for (Entry& e : blocked.all.entries)
                            if (e.row == i && e.column == i) e.value = 1;
                    }
                    check(
                        "bsrsv", size, blocked.all,
                        [&](const Sparse& opa, bool is_lower, rocsparse_mat_descr description, rocsparse_mat_info info,
                            T* s) {
                            const Csr<T> bsr(blocked, base);
                            const Dense x(rows, 1, complex);
                            const Device<T> dx(x.values), dy(rows);
                            const rocsparse_direction direction = direction_of(by_rows);
                            std::size_t bytes = 0;
                            MUST(typed::bsrsv_buffer_size<T>(handle, direction, op, mb, blocks, description, bsr.values,
                                                             bsr.pointers, bsr.indices, size, info, &bytes));
                            const Buffer buffer(bytes);
                            MUST(typed::bsrsv_analysis<T>(handle, direction, op, mb, blocks, description, bsr.values,
                                                          bsr.pointers, bsr.indices, size, info, force, policy,
                                                          buffer));
                            MUST(typed::bsrsv_solve<T>(handle, direction, op, mb, blocks, s, description, bsr.values,
                                                       bsr.pointers, bsr.indices, size, info, dx, dy, policy, buffer));
                            expect("y", dy, solve(opa, is_lower, unit, alpha<T>, x).values, rounding<T>);
                        });
                    for (const rocsparse_operation op_x : {none, transpose})
                        check(op_x == none ? "bsrsm" : "bsrsm, transposed", size, blocked.all,
                              [&](const Sparse& opa, bool is_lower, rocsparse_mat_descr description,
                                  rocsparse_mat_info info, T* s) {
                                  const Csr<T> bsr(blocked, base);
                                  const int n = 11, ld = (op_x == none ? rows : n) + 2;
                                  const Dense b(rows, n, complex);
                                  const Device<T> db(packed(applied(op_x, b), ld)),
                                      dx(packed(applied(op_x, Dense(rows, n)), ld));
                                  const rocsparse_direction direction = direction_of(by_rows);
                                  std::size_t bytes = 0;
                                  MUST(typed::bsrsm_buffer_size<T>(handle, direction, op, op_x, mb, n, blocks,
                                                                   description, bsr.values, bsr.pointers, bsr.indices,
                                                                   size, info, &bytes));
                                  const Buffer buffer(bytes);
                                  MUST(typed::bsrsm_analysis<T>(handle, direction, op, op_x, mb, n, blocks, description,
                                                                bsr.values, bsr.pointers, bsr.indices, size, info,
                                                                force, policy, buffer));
                                  MUST(typed::bsrsm_solve<T>(handle, direction, op, op_x, mb, n, blocks, s, description,
                                                             bsr.values, bsr.pointers, bsr.indices, size, info, db, ld,
                                                             dx, ld, policy, buffer));
                                  expect("X", dx, packed(applied(op_x, solve(opa, is_lower, unit, alpha<T>, b)), ld),
                                         rounding<T>);
                              });
                }
            }
}

// ---- factorizations

/// In place, of entries that are there; of Cholesky's only the lower triangle is changed. rocSPARSE conjugates that factor of
/// Cholesky's products which others do not, so that of complex numbers the result is not L in L L^H.
static Sparse factored(Sparse a, bool cholesky) {
    std::vector<std::map<int, Wide*>> rows(static_cast<std::size_t>(a.rows));
    for (Entry& e : a.entries) rows[static_cast<std::size_t>(e.row)][e.column] = &e.value;
    for (int i = 0; i < a.rows; ++i) {
        std::map<int, Wide*>& row = rows[static_cast<std::size_t>(i)];
        for (auto& [k, value] : row) {
            if (cholesky) {
                if (k > i) break;
                for (const auto& [j, other] : rows[static_cast<std::size_t>(k)]) {
                    if (j >= k) break;
                    if (row.count(j) != 0) *value -= std::conj(*row[j]) * *other;
                }
                *value = k == i ? std::sqrt(*value) : *value / *rows[static_cast<std::size_t>(k)][k];
            } else {
                if (k >= i) break;
                *value /= *rows[static_cast<std::size_t>(k)][k];
                for (const auto& [j, other] : rows[static_cast<std::size_t>(k)])
                    if (j > k && row.count(j) != 0) *row[j] -= *value * *other;
            }
        }
    }
    return a;
}

template <typename T>
static void test_factorizations(const Shape& shape) {
    constexpr bool complex = is_complex<T>;
    for (const int base : {0, 1}) {
        const Description description(base);
        for (const bool cholesky : {false, true}) {
            const Sparse a = dominated(shape, complex, cholesky);
            const int m = a.rows, count = a.count();
            test(text(cholesky ? "csric0" : "csrilu0", type_name<T>, shape.name, "base", base), [&] {
                const Csr<T> csr(a, base);
                const Info info;
                std::size_t bytes = 0;
                MUST((cholesky ? typed::csric0_buffer_size<T>
                               : typed::csrilu0_buffer_size<T>)(handle, m, count, description, csr.values, csr.pointers,
                                                                csr.indices, info, &bytes));
                const Buffer buffer(bytes);
                MUST((cholesky ? typed::csric0_analysis<T>
                               : typed::csrilu0_analysis<T>)(handle, m, count, description, csr.values, csr.pointers,
                                                             csr.indices, info, force, policy, buffer));
                MUST((cholesky ? typed::csric0<T> : typed::csrilu0<T>)(handle, m, count, description, csr.values,
                                                                       csr.pointers, csr.indices, info, policy,
                                                                       buffer));
                expect("values", csr.values, factored(a, cholesky).values(), rounding<T>);
            });
            for (const int size : {1, 2, 3, 5, 8, 13, 16, 32, 40}) {
                const bool by_rows = size % 3 != 0;
                if (m < size) continue;
                const int rows = m - m % size;  // so that blocks are full
                test(text(cholesky ? "bsric0" : "bsrilu0", type_name<T>, shape.name, "base", base, size), [&] {
                    Sparse cut = {rows,
                                  rows,
                                  {}};  // with Cholesky's of real numbers, as what is conjugated differs from csric0's
                    for (Entry e : a.entries) {
                        if (cholesky) e.value = e.value.real();
                        if (e.row < rows && e.column < rows) cut.entries.push_back(e);
                    }
                    const Blocked blocked(cut, size, size, by_rows);
                    const Csr<T> bsr(blocked, base);
                    const int mb = blocked.blocks.rows, blocks = blocked.blocks.count();
                    const rocsparse_direction direction = direction_of(by_rows);
                    const Info info;
                    std::size_t bytes = 0;
                    MUST((cholesky ? typed::bsric0_buffer_size<T>
                                   : typed::bsrilu0_buffer_size<T>)(handle, direction, mb, blocks, description,
                                                                    bsr.values, bsr.pointers, bsr.indices, size, info,
                                                                    &bytes));
                    const Buffer buffer(bytes);
                    MUST((cholesky ? typed::bsric0_analysis<T>
                                   : typed::bsrilu0_analysis<T>)(handle, direction, mb, blocks, description, bsr.values,
                                                                 bsr.pointers, bsr.indices, size, info, force, policy,
                                                                 buffer));
                    MUST((cholesky ? typed::bsric0<T> : typed::bsrilu0<T>)(handle, direction, mb, blocks, description,
                                                                           bsr.values, bsr.pointers, bsr.indices, size,
                                                                           info, policy, buffer));
                    // Of Cholesky's, what is right of the diagonal means nothing.
                    const Csr<T> back(rows, blocked.all.count());
                    const Description zero(0);
                    MUST(typed::bsr2csr<T>(handle, direction, mb, mb, description, bsr.values, bsr.pointers,
                                           bsr.indices, size, zero, back.values, back.pointers, back.indices));
                    std::vector<T> found = back.values.host(),
                                   expected = narrow<T>(factored(blocked.all, cholesky).values());
                    for (std::size_t i = 0; i < found.size(); ++i)
                        if (cholesky && blocked.all.entries[i].column > blocked.all.entries[i].row)
                            found[i] = expected[i];
                    expect("values", found, expected, rounding<T>);
                });
            }
        }

        // A colour for each row, of which no two neighbours have the same.
        const Sparse a = dominated(shape, complex, true);
        test(text("csrcolor", type_name<T>, shape.name, "base", base), [&] {
            const Csr<T> csr(a, base);
            const Info info;
            const Device<int> colours(a.rows), order(a.rows);
            using Real = std::conditional_t<is_single<T>, float, double>;
            Scalar<Real> fraction(1);
            Scalar<int> number;
            MUST(typed::csrcolor<T>(handle, a.rows, a.count(), description, csr.values, csr.pointers, csr.indices,
                                    fraction.pointer(), number.pointer(), colours, order, info));
            const std::vector<int> of = colours.host();
            for (const Entry& e : a.entries)
                if (e.row != e.column && of[static_cast<std::size_t>(e.row)] == of[static_cast<std::size_t>(e.column)])
                    throw Wrong{
                        text("neighbours", e.row, e.column, "have the colour", of[static_cast<std::size_t>(e.row)])};
            expect("number of colours", number.value(), *std::max_element(of.begin(), of.end()) + 1);
            std::vector<int> rows = order.host(), sorted, identity(of.size());
            for (const int row : rows) {
                if (row < 0 || row >= a.rows) throw Wrong{text("the order has row", row)};
                sorted.push_back(of[static_cast<std::size_t>(row)]);
            }
            std::sort(rows.begin(), rows.end());
            std::iota(identity.begin(), identity.end(), 0);
            expect("rows in the order", rows, identity);
            if (!std::is_sorted(sorted.begin(), sorted.end())) throw Wrong{"the order is not that of colours"};
        });
    }
}

// ---- systems of three or five diagonals

struct Band {  // of matrices side by side, as columns
    Dense diagonals[5];  // from the lowest
    Dense x, b;

    Band(int m, int systems, int reach, bool complex, bool same)
        : diagonals{{m, systems}, {m, systems}, {m, systems}, {m, systems}, {m, systems}},
          x(m, systems, complex),
          b(m, systems) {
        for (int j = 0; j < systems; ++j)
            for (int i = 0; i < m; ++i)
                for (int k = -reach; k <= reach; ++k) {
                    Wide& value = diagonals[k + 2](i, j);
                    if (i + k < 0 || i + k >= m) continue;
                    value = same && j > 0 ? diagonals[k + 2](i, 0) : random_number(complex);
                    if (k == 0 && (!same || j == 0)) value += value.real() < 0 ? -13 : 13;
                    b(i, j) += value * x(i + k, j);
                }
    }
};

template <typename T>
static void test_bands() {
    constexpr bool complex = is_complex<T>;
    for (const int m : {3, 16, 100, 257, 1000, 4000}) {
        random_state = static_cast<std::uint64_t>(m);
        const Band one(m, 3, 1, complex, true), many(m, 7, 1, complex, false);
        const auto check = [&](const char* routine, auto body) { test(text(routine, type_name<T>, m), body); };
        for (const bool pivots : {false, true})
            check(pivots ? "gtsv" : "gtsv_no_pivot", [&] {
                const auto column = [&](int k) {
                    return std::vector<Wide>(one.diagonals[k].values.begin(), one.diagonals[k].values.begin() + m);
                };
                const Device<T> dl(column(1)), d(column(2)), du(column(3)), db(packed(one.b, m + 2));
                std::size_t bytes = 0;
                MUST((pivots ? typed::gtsv_buffer_size<T>
                             : typed::gtsv_no_pivot_buffer_size<T>)(handle, m, 3, dl, d, du, db, m + 2, &bytes));
                const Buffer buffer(bytes);
                MUST((pivots ? typed::gtsv<T> : typed::gtsv_no_pivot<T>)(handle, m, 3, dl, d, du, db, m + 2, buffer));
                expect("X", db, packed(one.x, m + 2), rounding<T>);
            });
        check("gtsv_no_pivot_strided_batch", [&] {
            const int ld = m + 2;
            const Device<T> dl(packed(many.diagonals[1], ld)), d(packed(many.diagonals[2], ld)),
                du(packed(many.diagonals[3], ld)), db(packed(many.b, ld));
            std::size_t bytes = 0;
            MUST(typed::gtsv_no_pivot_strided_batch_buffer_size<T>(handle, m, dl, d, du, db, 7, ld, &bytes));
            const Buffer buffer(bytes);
            MUST(typed::gtsv_no_pivot_strided_batch<T>(handle, m, dl, d, du, db, 7, ld, buffer));
            expect("X", db, packed(many.x, ld), rounding<T>);
        });
        for (const int systems : {1, 70}) {
            if (m > 300) continue;
            const int ld = systems + 2;
            for (const bool five : {false, m > 3})
                for (int algorithm = 0; algorithm < (five ? 2 : 4); ++algorithm)
                    check(text(five ? "gpsv_interleaved_batch" : "gtsv_interleaved_batch", systems, "algorithm",
                               algorithm)
                              .c_str(),
                          [&] {
                              const Band band(m, systems, five ? 2 : 1, complex, false);
                              const auto interleaved = [&](const Dense& a) { return packed(a, ld, true); };
                              const Device<T> ds(interleaved(band.diagonals[0])), dl(interleaved(band.diagonals[1])),
                                  d(interleaved(band.diagonals[2])), du(interleaved(band.diagonals[3])),
                                  dw(interleaved(band.diagonals[4])), db(interleaved(band.b));
                              std::size_t bytes = 0;
                              const auto three_by = static_cast<rocsparse_gtsv_interleaved_alg>(algorithm);
                              const auto five_by = static_cast<rocsparse_gpsv_interleaved_alg>(algorithm);
                              if (five)
                                  MUST(typed::gpsv_interleaved_batch_buffer_size<T>(handle, five_by, m, ds, dl, d, du,
                                                                                    dw, db, systems, ld, &bytes));
                              else
                                  MUST(typed::gtsv_interleaved_batch_buffer_size<T>(handle, three_by, m, dl, d, du, db,
                                                                                    systems, ld, &bytes));
                              const Buffer buffer(bytes);
                              if (five)
                                  MUST(typed::gpsv_interleaved_batch<T>(handle, five_by, m, ds, dl, d, du, dw, db,
                                                                        systems, ld, buffer));
                              else
                                  MUST(typed::gtsv_interleaved_batch<T>(handle, three_by, m, dl, d, du, db, systems, ld,
                                                                        buffer));
                              expect("X", db, interleaved(band.x), rounding<T>);
                          });
        }
    }
}

// ---- the same through descriptors

template <typename I>
constexpr rocsparse_indextype index_type = sizeof(I) == 8 ? rocsparse_indextype_i64 : rocsparse_indextype_i32;

/// In one of the formats that a descriptor can have.
template <typename T, typename P, typename I>
class Described {
public:
    SparseMatrix it;

    Described(const Sparse& a, rocsparse_format format, int base)
        : is_ell_(format == rocsparse_format_ell),
          rows_(integers<I>(a.row_indices(base))),
          pointers_(integers<P>(pointers(a, format, base))),
          indices_(integers<I>(indices(a, format, base))),
          values_(values(a, format)) {
        I *const r = rows_, *const c = indices_;
        T* const v = values_;
        const rocsparse_index_base b = base_of(base);
        if (format == rocsparse_format_coo)
            MUST(rocsparse_create_coo_descr(&it.it, a.rows, a.columns, a.count(), r, c, v, index_type<I>, b,
                                            datatype<T>));
        if (format == rocsparse_format_coo_aos)
            MUST(rocsparse_create_coo_aos_descr(&it.it, a.rows, a.columns, a.count(), c, v, index_type<I>, b,
                                                datatype<T>));
        P* const p = pointers_;
        if (format == rocsparse_format_csr)
            MUST(rocsparse_create_csr_descr(&it.it, a.rows, a.columns, a.count(), p, c, v, index_type<P>, index_type<I>,
                                            b, datatype<T>));
        if (format == rocsparse_format_csc)
            MUST(rocsparse_create_csc_descr(&it.it, a.rows, a.columns, a.count(), p, c, v, index_type<P>, index_type<I>,
                                            b, datatype<T>));
        if (is_ell_)
            MUST(rocsparse_create_ell_descr(&it.it, a.rows, a.columns, c, v, width(a), index_type<I>, b, datatype<T>));
    }

    operator rocsparse_spmat_descr() const { return it; }
    const Device<T>& values() const { return values_; }

private:
    template <typename N>
    static std::vector<N> integers(const std::vector<int>& from) {
        return std::vector<N>(from.begin(), from.end());
    }
    static int width(const Sparse& a) {
        const std::vector<int> counts = a.row_counts();
        return *std::max_element(counts.begin(), counts.end());
    }
    static std::vector<int> pointers(const Sparse& a, rocsparse_format format, int base) {
        return format == rocsparse_format_csc ? applied(transpose, a).row_pointers(base) : a.row_pointers(base);
    }
    template <typename F>
    static void in_ell(const Sparse& a, F put) {
        std::vector<int> filled(static_cast<std::size_t>(a.rows));
        for (const Entry& e : a.entries)
            put(static_cast<std::size_t>(filled[static_cast<std::size_t>(e.row)]++ * a.rows + e.row), e);
    }
    static std::vector<int> indices(const Sparse& a, rocsparse_format format, int base) {
        if (format == rocsparse_format_csc) return applied(transpose, a).column_indices(base);
        std::vector<int> all = a.column_indices(base);
        if (format == rocsparse_format_coo_aos) {
            all.clear();
            for (const Entry& e : a.entries) all.insert(all.end(), {e.row + base, e.column + base});
        }
        if (format == rocsparse_format_ell) {
            all.assign(static_cast<std::size_t>(width(a) * a.rows), -1);
            in_ell(a, [&](std::size_t at, const Entry& e) { all[at] = e.column + base; });
        }
        return all;
    }
    static std::vector<Wide> values(const Sparse& a, rocsparse_format format) {
        if (format == rocsparse_format_csc) return applied(transpose, a).values();
        if (format != rocsparse_format_ell) return a.values();
        std::vector<Wide> all(static_cast<std::size_t>(width(a) * a.rows));
        in_ell(a, [&](std::size_t at, const Entry& e) { all[at] = e.value; });
        return all;
    }

    bool is_ell_;
    Device<I> rows_;
    Device<P> pointers_;
    Device<I> indices_;
    Device<T> values_;
};

template <typename T>
struct DescribedDense {
    Device<T> values;
    DenseMatrix it;
    DescribedDense(const Dense& a, bool by_rows) : values(packed(a, (by_rows ? a.columns : a.rows) + 2, by_rows)) {
        MUST(rocsparse_create_dnmat_descr(&it.it, a.rows, a.columns, (by_rows ? a.columns : a.rows) + 2,
                                          static_cast<T*>(values), datatype<T>,
                                          by_rows ? rocsparse_order_row : rocsparse_order_column));
    }
    void check(const Dense& expected, bool by_rows, double tolerance = 0) const {
        expect("elements", values, packed(expected, (by_rows ? expected.columns : expected.rows) + 2, by_rows),
               tolerance);
    }
};

struct Way {
    const char* name;
    rocsparse_format format;
    int algorithm;
    bool all_operations;
};
constexpr Way vector_ways[] = {
    {"spmv csr", rocsparse_format_csr, rocsparse_spmv_alg_default, true},
    {"spmv csr adaptive", rocsparse_format_csr, rocsparse_spmv_alg_csr_adaptive, true},
    {"spmv csr stream", rocsparse_format_csr, rocsparse_spmv_alg_csr_stream, true},
    {"spmv csc", rocsparse_format_csc, rocsparse_spmv_alg_default, true},
    {"spmv coo", rocsparse_format_coo, rocsparse_spmv_alg_coo, true},
    {"spmv coo atomic", rocsparse_format_coo, rocsparse_spmv_alg_coo_atomic, true},
    {"spmv coo aos", rocsparse_format_coo_aos, rocsparse_spmv_alg_coo, true},
    {"spmv coo aos atomic", rocsparse_format_coo_aos, rocsparse_spmv_alg_coo_atomic, true},
    {"spmv ell", rocsparse_format_ell, rocsparse_spmv_alg_ell, true},
};
constexpr Way matrix_ways[] = {
    {"spmm csr", rocsparse_format_csr, rocsparse_spmm_alg_csr, true},
    {"spmm csr row split", rocsparse_format_csr, rocsparse_spmm_alg_csr_row_split, false},
    {"spmm csr merge", rocsparse_format_csr, rocsparse_spmm_alg_csr_merge, false},
    {"spmm csc", rocsparse_format_csc, rocsparse_spmm_alg_csr, true},
    {"spmm coo segmented", rocsparse_format_coo, rocsparse_spmm_alg_coo_segmented, false},
    {"spmm coo atomic", rocsparse_format_coo, rocsparse_spmm_alg_coo_atomic, true},
    {"spmm coo segmented atomic", rocsparse_format_coo, rocsparse_spmm_alg_coo_segmented_atomic, false},
};

template <typename T, typename P, typename I>
static void test_described(const Shape& shape) {
    constexpr bool complex = is_complex<T>;
    const Sparse a = made(shape, complex);
    const std::string sizes = text(sizeof(P) * 8, sizeof(I) * 8);
    int turn = 0;
    for (const rocsparse_operation op : {none, transpose, conjugate}) {
        const Sparse opa = applied(op, a);
        for (const Way& way : vector_ways) {
            const int base = turn++ % 2;
            if (way.format == rocsparse_format_ell && shape.kind == Kind::long_row) continue;
            test(text(way.name, type_name<T>, shape.name, name_of(op), "base", base, sizes), [&] {
                const Described<T, P, I> matrix(a, way.format, base);
                const Dense x(opa.columns, 1, complex), y(opa.rows, 1, complex);
                const Device<T> dx(x.values), dy(y.values);
                DenseVector vx, vy;
                MUST(rocsparse_create_dnvec_descr(&vx.it, opa.columns, static_cast<T*>(dx), datatype<T>));
                MUST(rocsparse_create_dnvec_descr(&vy.it, opa.rows, static_cast<T*>(dy), datatype<T>));
                Scalar<T> s(alpha<T>), t(beta<T>);
                const auto algorithm = static_cast<rocsparse_spmv_alg>(way.algorithm);
                std::size_t bytes = 0;
                MUST(rocsparse_spmv(handle, op, s.pointer(), matrix, vx, t.pointer(), vy, datatype<T>, algorithm,
                                    &bytes, nullptr));
                const Buffer buffer(std::max<std::size_t>(bytes, 4));
                MUST(rocsparse_spmv(handle, op, s.pointer(), matrix, vx, t.pointer(), vy, datatype<T>, algorithm,
                                    &bytes, buffer));
                expect("y", dy, multiply(alpha<T>, opa, x, beta<T>, y).values);
            });
        }
        if (a.count() > 5000) continue;
        for (const Way& way : matrix_ways)
            for (const rocsparse_operation op_b : {none, transpose, conjugate})
                for (const bool by_rows : {false, true}) {
                    if (!way.all_operations && op != none) continue;
                    const int base = turn++ % 2, n = turn % 3 == 0 ? 70 : 9;
                    test(text(way.name, type_name<T>, shape.name, name_of(op), "by", n, name_of(op_b),
                              by_rows ? "by rows" : "by columns", "base", base, sizes),
                         [&] {
                             const Described<T, P, I> matrix(a, way.format, base);
                             const Dense b = op_b == none ? Dense(opa.columns, n, complex)
                                                          : Dense(n, opa.columns, complex),
                                         c(opa.rows, n, complex);
                             const DescribedDense<T> db(b, by_rows), dc(c, by_rows);
                             Scalar<T> s(alpha<T>), t(beta<T>);
                             std::size_t bytes = 0;
                             const auto stage = [&](rocsparse_spmm_stage which, void* buffer) {
                                 return rocsparse_spmm(handle, op, op_b, s.pointer(), matrix, db.it, t.pointer(), dc.it,
                                                       datatype<T>, static_cast<rocsparse_spmm_alg>(way.algorithm),
                                                       which, &bytes, buffer);
                             };
                             MUST(stage(rocsparse_spmm_stage_buffer_size, nullptr));
                             const Buffer buffer(std::max<std::size_t>(bytes, 4));
                             MUST(stage(rocsparse_spmm_stage_preprocess, buffer));
                             MUST(stage(rocsparse_spmm_stage_compute, buffer));
                             dc.check(multiply(alpha<T>, opa, applied(op_b, b), beta<T>, c), by_rows);
                         });
                }
    }
    if (a.count() > 5000) return;
    for (const rocsparse_format format : {rocsparse_format_csr, rocsparse_format_csc, rocsparse_format_coo,
                                          rocsparse_format_coo_aos, rocsparse_format_ell})
        for (const bool by_rows : {false, true}) {
            if (format == rocsparse_format_ell && shape.kind == Kind::long_row) continue;
            const int base = turn++ % 2;
            const auto check = [&](const char* routine, auto body) {
                test(text(routine, "format", static_cast<int>(format), type_name<T>, shape.name,
                          by_rows ? "by rows" : "by columns", "base", base, sizes),
                     body);
            };
            const Sparse blank = add(0, a, 0, a);
            if (format != rocsparse_format_coo_aos && format != rocsparse_format_ell) {
                const bool is_small = static_cast<std::size_t>(a.rows) * static_cast<std::size_t>(a.columns) <= 300000;
                if (is_small)
                    check("sparse_to_dense, dense_to_sparse", [&] {
                        const Described<T, P, I> matrix(a, format, base), back(blank, format, base);
                        const DescribedDense<T> dense(Dense(a.rows, a.columns), by_rows);
                        std::size_t bytes = 0;
                        MUST(rocsparse_sparse_to_dense(handle, matrix, dense.it, rocsparse_sparse_to_dense_alg_default,
                                                       &bytes, nullptr));
                        const Buffer buffer(std::max<std::size_t>(bytes, 4));
                        MUST(rocsparse_sparse_to_dense(handle, matrix, dense.it, rocsparse_sparse_to_dense_alg_default,
                                                       &bytes, buffer));
                        dense.check(dense_of(a), by_rows);
                        MUST(rocsparse_dense_to_sparse(handle, dense.it, back, rocsparse_dense_to_sparse_alg_default,
                                                       &bytes, nullptr));
                        const Buffer other(std::max<std::size_t>(bytes, 4));
                        MUST(rocsparse_dense_to_sparse(handle, dense.it, back, rocsparse_dense_to_sparse_alg_default,
                                                       nullptr, other));
                        std::int64_t rows, columns, found;
                        MUST(rocsparse_spmat_get_size(back, &rows, &columns, &found));
                        expect("count", static_cast<int>(found), a.count());
                        MUST(rocsparse_dense_to_sparse(handle, dense.it, back, rocsparse_dense_to_sparse_alg_default,
                                                       &bytes, other));
                        expect("values", back.values().host(), matrix.values().host());
                    });
            }
            for (const int k : {4, 33})
                for (const rocsparse_operation op : {none, transpose})
                    check(text("sddmm", k, name_of(op)).c_str(), [&] {
                        const Described<T, P, I> matrix(a, format, base);
                        const Dense left(a.rows, k, complex), right(k, a.columns, complex);
                        const DescribedDense<T> dl(applied(op, left), by_rows), dr(applied(op, right), by_rows);
                        Sparse sum = a;
                        for (Entry& e : sum.entries) {
                            Wide product = 0;
                            for (int i = 0; i < k; ++i) product += left(e.row, i) * right(i, e.column);
                            e.value = alpha<T> * product + beta<T> * e.value;
                        }
                        Scalar<T> s(alpha<T>), t(beta<T>);
                        std::size_t bytes = 0;
                        constexpr rocsparse_sddmm_alg algorithm = rocsparse_sddmm_alg_default;
                        MUST(rocsparse_sddmm_buffer_size(handle, op, op, s.pointer(), dl.it, dr.it, t.pointer(), matrix,
                                                         datatype<T>, algorithm, &bytes));
                        const Buffer buffer(std::max<std::size_t>(bytes, 4));
                        MUST(rocsparse_sddmm_preprocess(handle, op, op, s.pointer(), dl.it, dr.it, t.pointer(), matrix,
                                                        datatype<T>, algorithm, buffer));
                        MUST(rocsparse_sddmm(handle, op, op, s.pointer(), dl.it, dr.it, t.pointer(), matrix,
                                             datatype<T>, algorithm, buffer));
                        expect("values", matrix.values().host(), Described<T, P, I>(sum, format, base).values().host());
                    });
        }
    for (const int base : {0, 1})
        test(text("spgemm", type_name<T>, shape.name, "base", base, sizes), [&] {
            const Sparse b = applied(transpose, made(shape, complex)),
                         d = made({"", a.rows, a.rows, Kind::random, 4}, complex);
            const Sparse expected = add(alpha<T>, multiply(a, b), beta<T>, d);
            const Described<T, P, I> da(a, rocsparse_format_csr, base), db(b, rocsparse_format_csr, 1 - base),
                dd(d, rocsparse_format_csr, base);
            const Device<P> pointers(a.rows + 1);
            SparseMatrix c;
            MUST(rocsparse_create_csr_descr(&c.it, a.rows, a.rows, 0, static_cast<P*>(pointers), nullptr, nullptr,
                                            index_type<P>, index_type<I>, base_of(base), datatype<T>));
            Scalar<T> s(alpha<T>), t(beta<T>);
            std::size_t bytes = 0;
            const auto stage = [&](rocsparse_spgemm_stage which, void* buffer) {
                return rocsparse_spgemm(handle, none, none, s.pointer(), da, db, t.pointer(), dd, c, datatype<T>,
                                        rocsparse_spgemm_alg_default, which, &bytes, buffer);
            };
            MUST(stage(rocsparse_spgemm_stage_buffer_size, nullptr));
            const Buffer buffer(std::max<std::size_t>(bytes, 4));
            MUST(stage(rocsparse_spgemm_stage_nnz, buffer));
            std::int64_t rows, columns, found;
            MUST(rocsparse_spmat_get_size(c, &rows, &columns, &found));
            expect("count", static_cast<int>(found), expected.count());
            const Device<I> indices(expected.count());
            const Device<T> values(expected.count());
            MUST(rocsparse_csr_set_pointers(c, static_cast<P*>(pointers), static_cast<I*>(indices),
                                            static_cast<T*>(values)));
            MUST(stage(rocsparse_spgemm_stage_compute, buffer));
            const std::vector<int> p = expected.row_pointers(base), i = expected.column_indices(base);
            expect("pointers", pointers.host(), std::vector<P>(p.begin(), p.end()));
            expect("indices", indices.host(), std::vector<I>(i.begin(), i.end()));
            expect("values", values, expected.values());
        });
}

/// Blocks in compressed rows, and as many in each row.
template <typename T>
static void test_described_blocks(const Shape& shape) {
    constexpr bool complex = is_complex<T>;
    const Sparse a = made(shape, complex);
    if (a.count() > 5000) return;
    for (const int size : {1, 2, 3, 4, 8, 11, 16})
        for (const bool by_rows : {false, true}) {
            const int base = size % 2;
            const auto check = [&](const char* routine, auto body) {
                test(text(routine, type_name<T>, shape.name, by_rows ? "by rows" : "by columns", size), body);
            };
            check("spmv bsr", [&] {
                const Blocked blocked(a, size, size, by_rows);
                const Csr<T> bsr(blocked, base);
                const Dense x(blocked.all.columns, 1, complex), y(blocked.all.rows, 1, complex);
                const Device<T> dx(x.values), dy(y.values);
                SparseMatrix matrix;
                DenseVector vx, vy;
                MUST(rocsparse_create_bsr_descr(&matrix.it, blocked.blocks.rows, blocked.blocks.columns,
                                                blocked.blocks.count(), direction_of(by_rows), size,
                                                static_cast<int*>(bsr.pointers), static_cast<int*>(bsr.indices),
                                                static_cast<T*>(bsr.values), rocsparse_indextype_i32,
                                                rocsparse_indextype_i32, base_of(base), datatype<T>));
                MUST(rocsparse_create_dnvec_descr(&vx.it, x.rows, static_cast<T*>(dx), datatype<T>));
                MUST(rocsparse_create_dnvec_descr(&vy.it, y.rows, static_cast<T*>(dy), datatype<T>));
                Scalar<T> s(alpha<T>), t(beta<T>);
                std::size_t bytes = 0;
                MUST(rocsparse_spmv(handle, none, s.pointer(), matrix, vx, t.pointer(), vy, datatype<T>,
                                    rocsparse_spmv_alg_bsr, &bytes, nullptr));
                const Buffer buffer(std::max<std::size_t>(bytes, 4));
                MUST(rocsparse_spmv(handle, none, s.pointer(), matrix, vx, t.pointer(), vy, datatype<T>,
                                    rocsparse_spmv_alg_bsr, &bytes, buffer));
                expect("y", dy, multiply(alpha<T>, blocked.all, x, beta<T>, y).values);
            });
            if (shape.kind != Kind::long_row)
                for (const rocsparse_operation op_b : {none, transpose})
                    check(text("spmm blocked ell", name_of(op_b)).c_str(), [&] {
                        const Blocked blocked(a, size, size, by_rows);
                        const int n = 19;
                        const Dense b = op_b == none ? Dense(blocked.all.columns, n, complex)
                                                     : Dense(n, blocked.all.columns, complex);
                        const Dense c(blocked.all.rows, n, complex);
                        const DescribedDense<T> db(b, false), dc(c, false);
                        const std::vector<int> counts = blocked.blocks.row_counts();
                        const int width = *std::max_element(counts.begin(), counts.end()), rows = blocked.blocks.rows;
                        const std::size_t elements = static_cast<std::size_t>(size * size);
                        std::vector<int> indices(static_cast<std::size_t>(width * rows), base - 1),
                            filled(counts.size());
                        std::vector<Wide> values(indices.size() * elements);
                        for (std::size_t i = 0; i < blocked.blocks.entries.size(); ++i) {
                            const Entry& e = blocked.blocks.entries[i];
                            const std::size_t at =
                                static_cast<std::size_t>(filled[static_cast<std::size_t>(e.row)]++ * rows + e.row);
                            indices[at] = e.column + base;
                            for (std::size_t k = 0; k < elements; ++k)
                                values[at * elements + k] = blocked.values[i * elements + k];
                        }
                        const Device<int> ell_indices(indices);
                        const Device<T> ell_values(values);
                        SparseMatrix matrix;
                        MUST(rocsparse_create_bell_descr(&matrix.it, blocked.all.rows, blocked.all.columns,
                                                         direction_of(by_rows), size, width * size,
                                                         static_cast<int*>(ell_indices), static_cast<T*>(ell_values),
                                                         rocsparse_indextype_i32, base_of(base), datatype<T>));
                        Scalar<T> s(alpha<T>), t(beta<T>);
                        std::size_t bytes = 0;
                        const auto stage = [&](rocsparse_spmm_stage which, void* buffer) {
                            return rocsparse_spmm(handle, none, op_b, s.pointer(), matrix, db.it, t.pointer(), dc.it,
                                                  datatype<T>, rocsparse_spmm_alg_bell, which, &bytes, buffer);
                        };
                        MUST(stage(rocsparse_spmm_stage_buffer_size, nullptr));
                        const Buffer buffer(std::max<std::size_t>(bytes, 4));
                        MUST(stage(rocsparse_spmm_stage_preprocess, buffer));
                        MUST(stage(rocsparse_spmm_stage_compute, buffer));
                        dc.check(multiply(alpha<T>, blocked.all, applied(op_b, b), beta<T>, c), false);
                    });
        }
}

template <typename T, typename P, typename I>
static void test_described_triangles(const Shape& shape) {
    constexpr bool complex = is_complex<T>;
    const Sparse a = dominated(shape, complex, false);
    int turn = 0;
    for (const rocsparse_format format : {rocsparse_format_csr, rocsparse_format_coo})
        for (const rocsparse_fill_mode fill : {rocsparse_fill_mode_lower, rocsparse_fill_mode_upper})
            for (const rocsparse_operation op : {none, transpose})
                for (const int n : {0, 5}) {  // 0 means a vector
                    const int base = turn++ % 2;
                    const bool lower = fill == rocsparse_fill_mode_lower, csr = format == rocsparse_format_csr;
                    test(
                        text(n == 0 ? "spsv" : "spsm", csr ? "csr" : "coo", type_name<T>, shape.name,
                             lower ? "lower" : "upper", name_of(op), "base", base, sizeof(P) * 8, sizeof(I) * 8),
                        [&] {
                            const Described<T, P, I> matrix(a, format, base);
                            MUST(rocsparse_spmat_set_attribute(matrix, rocsparse_spmat_fill_mode, &fill, sizeof fill));
                            const Dense b(a.rows, std::max(n, 1), complex);
                            const DescribedDense<T> db(b, false), dx(Dense(b.rows, b.columns), false);
                            DenseVector vb, vx;
                            MUST(rocsparse_create_dnvec_descr(&vb.it, a.rows, static_cast<T*>(db.values), datatype<T>));
                            MUST(rocsparse_create_dnvec_descr(&vx.it, a.rows, static_cast<T*>(dx.values), datatype<T>));
                            Scalar<T> s(alpha<T>);
                            std::size_t bytes = 0;
                            const auto stage = [&](int which, void* buffer) {
                                return n == 0
                                           ? rocsparse_spsv(handle, op, s.pointer(), matrix, vb, vx, datatype<T>,
                                                            rocsparse_spsv_alg_default,
                                                            static_cast<rocsparse_spsv_stage>(which), &bytes, buffer)
                                           : rocsparse_spsm(handle, op, none, s.pointer(), matrix, db.it, dx.it,
                                                            datatype<T>, rocsparse_spsm_alg_default,
                                                            static_cast<rocsparse_spsm_stage>(which), &bytes, buffer);
                            };
                            MUST(stage(rocsparse_spsv_stage_buffer_size, nullptr));
                            const Buffer buffer(std::max<std::size_t>(bytes, 4));
                            MUST(stage(rocsparse_spsv_stage_preprocess, buffer));
                            MUST(stage(rocsparse_spsv_stage_compute, buffer));
                            dx.check(solve(applied(op, a), lower == (op == none), false, alpha<T>, b), false,
                                     rounding<T>);
                        });
                }
}

template <typename T>
static void test_all() {
    test_vectors<T>();
    for (const Shape& shape : shapes) {
        test_matrix_vector<T>(shape);
        test_conversions<T>(shape);
        test_matrix_matrix<T>(shape);
        test_described<T, int, int>(shape);
        test_described_blocks<T>(shape);
    }
    test_described<T, std::int64_t, std::int64_t>(shapes[2]);
    test_described<T, std::int64_t, int>(shapes[5]);
    for (const Shape& shape : squares) {
        test_triangles<T>(shape);
        test_factorizations<T>(shape);
        test_described_triangles<T, int, int>(shape);
    }
    test_described_triangles<T, std::int64_t, std::int64_t>(squares[1]);
    test_bands<T>();
}

int main(int argument_count, char** arguments) {
    for (int i = 2; i < argument_count; ++i)
        if (std::strcmp(arguments[i], "--names") == 0)
            are_named = true;
        else if (std::atoi(arguments[i]) > 0)
            every = std::atoi(arguments[i]);
        else
            only = arguments[i];
    if (argument_count < 2) {
        std::printf(
            "usage: rocsparse float|double|complex-float|complex-double [--names] [HOW FEW] [PART OF CASES' NAMES]\n");
        return 2;
    }
    if (rocsparse_create_handle(&handle) != rocsparse_status_success) {
        std::printf("rocsparse: no handle\n");
        return 1;
    }
    const std::string type = arguments[1];
    if (type == "float") test_all<float>();
    if (type == "double") test_all<double>();
    if (type == "complex-float") test_all<Complex>();
    if (type == "complex-double") test_all<DoubleComplex>();
    rocsparse_destroy_handle(handle);
    std::printf("rocsparse: %d cases, %d wrong\n", cases, wrong_cases);
    return wrong_cases != 0 || cases < (*only == '\0' ? 4000 / every : 1);
}
