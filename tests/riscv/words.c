// Reads text and counts its words, in a table of chains.
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct word {
    struct word* next;
    int count;
    char text[];
};

int main(void) {
    struct word* table[64] = {0};
    char text[256];
    int length = 0, lines = 0, c;
    do {
        c = getchar();
        lines += c == '\n';
        if (c != EOF && isalpha(c) && length < 255) {
            text[length++] = (char)tolower(c);
            continue;
        }
        if (length == 0) continue;
        text[length] = 0;
        unsigned hash = 5381;
        for (int i = 0; i < length; ++i) hash = hash * 33 ^ (unsigned char)text[i];
        struct word** at = &table[hash % 64];
        while (*at && strcmp((*at)->text, text) != 0) at = &(*at)->next;
        if (!*at) {
            *at = calloc(1, sizeof **at + (size_t)length + 1);
            strcpy((*at)->text, text);
        }
        (*at)->count++;
        length = 0;
    } while (c != EOF);
    for (int i = 0; i < 64; ++i)
        for (struct word* w = table[i]; w; w = w->next) printf("%d %s\n", w->count, w->text);
    printf("%d lines\n", lines);
    return lines;
}
