// A large buffer in front of the sink, so that printing an instruction is copying characters and nothing else.
#pragma once

#include <array>
#include <charconv>
#include <cstring>
#include <string_view>
#include <vector>

#include "isaforge/disassembler.hpp"

namespace isaforge::disassembler {

class Output {
public:
    explicit Output(const TextSink& sink, std::size_t capacity = std::size_t{1} << 16)
        : sink_(sink), capacity_(capacity), buffer_(capacity + slack), at_(buffer_.data()) {}
    ~Output() { flush(); }
    Output(const Output&) = delete;
    Output& operator=(const Output&) = delete;

    // Room for at least `slack` characters; `set` says how far they were used.
    char* room() {
        if (at_ >= buffer_.data() + capacity_) flush();
        return at_;
    }
    bool empty() const { return !touched_ && at_ == buffer_.data(); }
    void set(char* end) { at_ = end; }

    void put(std::string_view text) {
        for (; text.size() > slack; text.remove_prefix(slack)) [[unlikely]] put_piece(text.substr(0, slack));
        put_piece(text);
    }
    // Text that needs no room here.
    void pass(std::string_view text) {
        flush();
        touched_ |= !text.empty();
        if (!text.empty()) sink_(text);
    }
    void put(char c) {
        *room() = c;
        ++at_;
    }
    void decimal(std::uint64_t value) { at_ = std::to_chars(room(), at_ + 24, value).ptr; }
    // An even number of digits.
    void hexadecimal(std::uint64_t value, unsigned digits) {
        char* const out = room();
        for (unsigned i = digits; i > 0; i -= 2, value >>= 8) put_byte(out + i - 2, static_cast<std::uint8_t>(value));
        at_ += digits;
    }
    // At most slack / 2 of them.
    void bytes(const std::uint8_t* data, std::size_t count) { at_ = put_bytes(room(), data, count); }
    static char* put_bytes(char* out, const std::uint8_t* data, std::size_t count) {
        for (std::size_t i = 0; i < count; ++i, out += 2) put_byte(out, data[i]);
        return out;
    }

    // A JSON string; bytes that are not ASCII become their Latin-1 escapes.
    void quoted(std::string_view text) {
        put('"');
        for (std::size_t i = 0; i < text.size(); ++i) {
            // What needs no escape is copied as a run.
            std::size_t run = i;
            while (run < text.size() && is_plain(text[run])) ++run;
            put(text.substr(i, run - i));
            i = run;
            if (i == text.size()) break;
            const char c = text[i];
            const auto byte = static_cast<unsigned char>(c);
            if (byte < 0x20 || byte >= 0x7F) {
                put("\\u00");
                hexadecimal(byte, 2);
                continue;
            }
            if (c == '"' || c == '\\') put('\\');
            put(c);
        }
        put('"');
    }

    static constexpr std::size_t slack = 4096;

    void flush() {
        touched_ |= at_ != buffer_.data();
        if (at_ != buffer_.data()) sink_({buffer_.data(), static_cast<std::size_t>(at_ - buffer_.data())});
        at_ = buffer_.data();
    }

private:
    void put_piece(std::string_view text) {
        std::memcpy(room(), text.data(), text.size());
        at_ += text.size();
    }

    static constexpr std::array<char, 512> hex_bytes = [] {
        constexpr char digits[] = "0123456789abcdef";
        std::array<char, 512> out{};
        for (std::size_t i = 0; i < 256; ++i) {
            out[2 * i] = digits[i >> 4];
            out[2 * i + 1] = digits[i & 15];
        }
        return out;
    }();

    static void put_byte(char* out, std::uint8_t byte) { std::memcpy(out, &hex_bytes[std::size_t{2} * byte], 2); }

    static bool is_plain(char c) {
        const auto byte = static_cast<unsigned char>(c);
        return byte >= 0x20 && byte < 0x7F && c != '"' && c != '\\';
    }

    const TextSink& sink_;
    const std::size_t capacity_;
    std::vector<char> buffer_;
    char* at_;
    bool touched_ = false;
};

}  // namespace isaforge::disassembler
