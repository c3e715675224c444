// What the files of the program have in common.
long length(const char* text);
void print(const char* text);
void print_number(const char* name, long number);
const char* word_of(int number);
long sum_of(const short* numbers, int count);
int far_call(int number);
extern const short table[];
extern int common_one, common_two;
