// Texts, a jump table, and a function that other files may replace.
#include "program.h"

__thread int borrowed = 6;
int common_one __attribute__((common));
int common_two __attribute__((common));

long length(const char* text) {
    long n = 0;
    while (text[n]) ++n;
    return n;
}

static char* write_digits(char* to, unsigned long number) {
    if (number >= 10) to = write_digits(to, number / 10);
    *to++ = (char)('0' + number % 10);
    return to;
}

void print_number(const char* name, long number) {
    char text[32];
    char* end = text;
    print(name);
    if (number < 0) *end++ = '-';
    end = write_digits(end, number < 0 ? 0ul - (unsigned long)number : (unsigned long)number);
    *end++ = '\n';
    *end = 0;
    print(" ");
    print(text);
}

const char* word_of(int number) {
    switch (number) {
        case 0: common_one += 3; return "none ";
        case 1: return "one ";
        case 2: common_two -= 11; return "two ";
        case 3: return "three ";
        case 4: common_one *= 2; return "four ";
        case 5: return "five ";
        case 6: return "six ";
        case 7: common_two ^= 0x55; return "seven ";
        default: return "many ";
    }
}

__attribute__((weak)) int weak_one(int n) { return n + 1; }
