/* What a target region holds besides one loop: parts that one thread of a team runs, threads that wait for each other, structures,
   and data that goes there and back in between. Integers alone, so that no mathematical library is wanted.

   To build and run it on a machine without a GPU, by either compiler:

       gcc-12 -O2 -fopenmp -foffload=amdgcn-amdhsa -foffload-options=amdgcn-amdhsa=-march=gfx900 regions.c -o regions
       clang-14 -O2 -fopenmp -fopenmp-targets=amdgcn-amd-amdhsa -Xopenmp-target=amdgcn-amd-amdhsa -march=gfx900 \
                -fopenmp-target-new-runtime regions.c -o regions
       isaforge gpu -- ./regions

   What else -march can be: gfx906, and gfx803, which is GCC's fiji. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

enum { count = 3000, rows = 24, columns = 70, threads = 64 };

static int wrong, results;

static void expect(int right)
{
    ++results;
    wrong += !right;
}

/* One thread begins, many go on, one ends. */
static void one_thread_and_many(void)
{
    static int numbers[count];
    int on_host = 1, before = 0, most = 0;
    long sum = 0;
    #pragma omp target map(from: numbers, on_host, before, sum, most)
    {
        on_host = omp_is_initial_device();
        before = 17;
        for (int i = 0; i < count; ++i)
            numbers[i] = i;
        #pragma omp parallel for
        for (int i = 0; i < count; ++i)
            numbers[i] = numbers[i] * 3 + before;
        sum = 0;
        #pragma omp parallel for reduction(+: sum)
        for (int i = 0; i < count; ++i)
            sum += numbers[i];
        most = 0;
        for (int i = 0; i < count; ++i)
            most = numbers[i] > most ? numbers[i] : most;
    }
    expect(!on_host);
    expect(before == 17);
    expect(most == 3 * (count - 1) + 17);
    expect(sum == 3L * (count - 1) * count / 2 + 17L * count);
    for (int i = 0; i < count; ++i)
        expect(numbers[i] == 3 * i + 17);
}

/* Each team has a row, which its threads share. */
static void rows_of_teams(void)
{
    static int table[rows][columns];
    static long sums[rows];
    #pragma omp target teams distribute map(from: table, sums)
    for (int row = 0; row < rows; ++row) {
        long sum = 0;
        #pragma omp parallel for
        for (int column = 0; column < columns; ++column)
            table[row][column] = row * 1000 + column * column;
        #pragma omp parallel for reduction(+: sum)
        for (int column = 0; column < columns; ++column)
            sum += table[row][columns - 1 - column];
        sums[row] = sum;
    }
    for (int row = 0; row < rows; ++row) {
        long sum = 0;
        for (int column = 0; column < columns; ++column) {
            expect(table[row][column] == row * 1000 + column * column);
            sum += row * 1000 + column * column;
        }
        expect(sums[row] == sum);
    }
}

/* Sums of all before, in steps at whose ends all threads of a team wait. */
static void threads_that_wait(void)
{
    int sums[threads], others[threads], there = 0;
    for (int i = 0; i < threads; ++i)
        sums[i] = i * i % 13 + 1;
    #pragma omp target map(tofrom: sums) map(alloc: others) map(from: there)
    #pragma omp parallel num_threads(threads)
    {
        const int own = omp_get_thread_num(), all = omp_get_num_threads();
        if (own == 0)
            there = all;
        for (int step = 1; step < threads; step *= 2) {
            for (int i = own; i < threads; i += all)
                others[i] = i < step ? sums[i] : sums[i] + sums[i - step];
            #pragma omp barrier
            for (int i = own; i < threads; i += all)
                sums[i] = others[i];
            #pragma omp barrier
        }
    }
    expect(there > 0 && there <= threads);
    for (int i = 0, sum = 0; i < threads; ++i) {
        sum += i * i % 13 + 1;
        expect(sums[i] == sum);
    }
}

/* What points to what is on the same side, and data that is changed on both sides by turns. */
struct series {
    int length;
    long *values;
};

static void structures_and_updates(void)
{
    struct series series = {count, malloc(count * sizeof(long))};
    for (int i = 0; i < series.length; ++i)
        series.values[i] = i;
    #pragma omp target enter data map(to: series, series.values[:count])
    for (int round = 0; round < 3; ++round) {
        #pragma omp target teams distribute parallel for
        for (int i = 0; i < series.length; ++i)
            series.values[i] = series.values[i] * 2 + 1;
        #pragma omp target update from(series.values[10:20])
        for (int i = 10; i < 30; ++i)
            series.values[i] -= 5;
        #pragma omp target update to(series.values[10:20])
    }
    #pragma omp target exit data map(from: series.values[:count]) map(release: series)
    for (int i = 0; i < count; ++i) {
        long value = i;
        for (int round = 0; round < 3; ++round)
            value = value * 2 + 1 - (i >= 10 && i < 30 ? 5 : 0);
        expect(series.values[i] == value);
    }
    free(series.values);
}

/* Many threads change few words. */
static void counters(void)
{
    static unsigned found[16];
    unsigned long long all = 0;
    int last = -1;
    #pragma omp target teams distribute parallel for map(tofrom: found, all, last)
    for (int i = 0; i < count; ++i) {
        const unsigned mixed = (i * 2654435761u) >> 28;
        #pragma omp atomic
        ++found[mixed];
        #pragma omp atomic
        all += 1ull << (mixed * 3);
        if (i == count - 1) {
            #pragma omp atomic write
            last = i;
        }
    }
    unsigned expected[16] = {0};
    unsigned long long expected_all = 0;
    for (int i = 0; i < count; ++i) {
        const unsigned mixed = (i * 2654435761u) >> 28;
        ++expected[mixed];
        expected_all += 1ull << (mixed * 3);
    }
    for (int i = 0; i < 16; ++i)
        expect(found[i] == expected[i]);
    expect(all == expected_all);
    expect(last == count - 1);
}

int main(void)
{
    one_thread_and_many();
    rows_of_teams();
    threads_that_wait();
    structures_and_updates();
    counters();
    if (wrong == 0)
        printf("regions: %d results, all as on the host\n", results);
    else
        printf("regions: WRONG: %d of %d results differ from the host's\n", wrong, results);
    return wrong != 0;
}
