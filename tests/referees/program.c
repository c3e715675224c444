// What a compiler makes of this runs on the described machine: each function has a result that compiled.py knows. No
// multiplications and divisions, which are a library's.
typedef unsigned char byte;
typedef unsigned short word;
typedef unsigned long wide;

static const byte text[] = "the quick brown fox jumps over the lazy dog";
static short numbers[] = {5, -3, 12, 7, 0, 99, -50, 1};
volatile wide results[6];

static word checksum(const byte* p, word count) {
    word sum = 0xffff;
    while (count--) {
        sum ^= (word)*p++ << 8;
        for (byte i = 0; i < 8; i++) sum = sum & 0x8000 ? (word)(sum << 1) ^ 0x1021 : (word)(sum << 1);
    }
    return sum;
}

static void sort(short* a, short count) {
    for (short i = 1; i < count; i++) {
        short x = a[i], j = i;
        for (; j > 0 && a[j - 1] > x; j--) a[j] = a[j - 1];
        a[j] = x;
    }
}

static wide fibonacci(byte n) {
    wide a = 0, b = 1;
    while (n--) {
        wide c = a + b;
        a = b;
        b = c;
    }
    return a;
}

static short add(short a, short b) { return a + b; }
static short less(short a, short b) { return a - b; }
static short (*const operations[])(short, short) = {add, less};

static wide random_of(wide x, byte rounds) {
    while (rounds--) {
        x ^= x << 13;
        x ^= x >> 17;
        x ^= x << 5;
    }
    return x;
}

static word count_bits(wide x) {
    word count = 0;
    for (; x; x &= x - 1) count++;
    return count;
}

int main(void) {
    results[0] = checksum(text, sizeof text - 1);
    sort(numbers, 8);
    results[1] = checksum((const byte*)numbers, sizeof numbers);
    results[2] = fibonacci(40);
    short value = 0;
    for (byte i = 0; i < 8; i++) value = operations[i & 1](value, numbers[i]);
    results[3] = (word)value;
    results[4] = random_of(2463534242u, 10);
    results[5] = count_bits(results[4]);
    return 0;
}
