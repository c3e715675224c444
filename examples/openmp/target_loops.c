/* Loops that OpenMP takes to a GPU, each next to the same loop on the host.

   To build and run it on a machine without a GPU:

       gcc-12 -O2 -fopenmp -foffload=amdgcn-amdhsa -foffload-options=amdgcn-amdhsa=-march=gfx900 \
              -foffload-options=-lm target_loops.c -o target_loops -lm
       isaforge gpu -- ./target_loops

   What else -march can be: fiji, which is gfx803, and gfx906. */
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

enum { count = 5000, size = 48 };

static int wrong, results;

static void expect(int right)
{
    ++results;
    wrong += !right;
}

/* Arrays go to the GPU and come back, as the maps say. */
static void maps(void)
{
    static float x[count], y[count], expected[count];
    for (int i = 0; i < count; ++i) {
        x[i] = i;
        y[i] = 2 * i;
        expected[i] = 3 * x[i] + y[i];
    }
    int on_host = 1;
    #pragma omp target teams distribute parallel for map(to: x) map(tofrom: y) map(from: on_host)
    for (int i = 0; i < count; ++i) {
        y[i] = 3 * x[i] + y[i];
        if (i == 0)
            on_host = omp_is_initial_device();
    }
    expect(!on_host);
    for (int i = 0; i < count; ++i)
        expect(y[i] == expected[i]);
}

/* What all threads find out together. */
static void reductions(void)
{
    long sum = 0;
    double largest = -1;
    int bits = 0;
    #pragma omp target teams distribute parallel for reduction(+: sum) reduction(max: largest) reduction(|: bits) \
        map(tofrom: sum, largest, bits)
    for (int i = 0; i < count; ++i) {
        sum += (long)i * i;
        largest = fmax(largest, sqrt(i * 37 % count));
        bits |= i;
    }
    expect(sum == (long)(count - 1) * count * (2 * count - 1) / 6);
    expect(largest == sqrt(count - 1));
    expect(bits == 8191);
}

/* Two loops as one. The sums are small integers, so that their order does not matter. */
static void matrix_product(void)
{
    static double a[size][size], b[size][size], product[size][size];
    for (int i = 0; i < size; ++i)
        for (int j = 0; j < size; ++j) {
            a[i][j] = (i * 7 + j * 3) % 11 - 5;
            b[i][j] = (i * 5 + j * 13) % 17 - 8;
        }
    #pragma omp target teams distribute parallel for collapse(2) map(to: a, b) map(from: product)
    for (int i = 0; i < size; ++i)
        for (int j = 0; j < size; ++j) {
            double sum = 0;
            for (int k = 0; k < size; ++k)
                sum += a[i][k] * b[k][j];
            product[i][j] = sum;
        }
    for (int i = 0; i < size; ++i)
        for (int j = 0; j < size; ++j) {
            double sum = 0;
            for (int k = 0; k < size; ++k)
                sum += a[i][k] * b[k][j];
            expect(product[i][j] == sum);
        }
}

#pragma omp declare target
static int calls;

static unsigned collatz(unsigned n)
{
    unsigned steps = 0;
    for (; n != 1; ++steps)
        n = n % 2 == 0 ? n / 2 : 3 * n + 1;
    return steps;
}
#pragma omp end declare target

/* Functions and variables that are on both sides; data that stays there between two loops. */
static void functions_and_data(void)
{
    static unsigned steps[count];
    int calls_there = 0;
    #pragma omp target data map(from: steps)
    {
        #pragma omp target teams distribute parallel for
        for (int i = 0; i < count; ++i) {
            steps[i] = collatz(i + 1);
            #pragma omp atomic
            ++calls;
        }
        #pragma omp target teams distribute parallel for
        for (int i = 0; i < count; ++i)
            steps[i] += i;
        #pragma omp target map(from: calls_there)
        calls_there = calls;
    }
    expect(calls_there == count);
    expect(calls == 0);  /* that of the host */
    for (int i = 0; i < count; ++i)
        expect(steps[i] == collatz(i + 1) + i);
}

/* Memory that only the GPU has, and a task that the host does not wait for. */
static void memory_and_tasks(void)
{
    const int device = omp_get_default_device(), host = omp_get_initial_device();
    int *numbers = malloc(count * sizeof *numbers), *there = omp_target_alloc(count * sizeof *numbers, device);
    for (int i = 0; i < count; ++i)
        numbers[i] = i;
    expect(omp_target_memcpy(there, numbers, count * sizeof *numbers, 0, 0, device, host) == 0);
    #pragma omp target teams distribute parallel for is_device_ptr(there) nowait
    for (int i = 0; i < count; ++i)
        there[i] = there[i] * there[i];
    #pragma omp taskwait
    expect(omp_target_memcpy(numbers, there, count * sizeof *numbers, 0, 0, host, device) == 0);
    for (int i = 0; i < count; ++i)
        expect(numbers[i] == i * i);
    omp_target_free(there, device);
    free(numbers);
}

int main(void)
{
    maps();
    reductions();
    matrix_product();
    functions_and_data();
    memory_and_tasks();
    if (wrong == 0)
        printf("target_loops: %d results, all as on the host\n", results);
    else
        printf("target_loops: WRONG: %d of %d results differ from the host's\n", wrong, results);
    return wrong != 0;
}
