// Statements of a large source that are encoded on other threads before the engine comes to them. Only those that mean the
// same wherever they stand: instructions whose operands are registers, names and plain numbers. All others, and what
// becomes of the bytes, are the engine's.
#pragma once

#include <condition_variable>
#include <mutex>
#include <string_view>
#include <thread>
#include <vector>

#include "assembler/plain_statements.hpp"
#include "isaforge/codec.hpp"

namespace isaforge::assembler {

// An encoded statement, without what most never need.
struct EncodedAhead {
    const char* begin = nullptr;
    std::uint64_t words[2] = {};
    Index form = no_index;
    std::uint16_t length = 0;      // of the text
    std::uint16_t bits = 0;
};

class Ahead {
public:
    // Whether a source of this size is worth starting threads.
    static bool is_worthwhile(std::size_t size, unsigned threads) { return threads > 1 && size > 4 * chunk_size; }

    // `text` stays where it is.
    Ahead(const Codec& codec, std::string_view text, unsigned threads);
    ~Ahead();
    Ahead(const Ahead&) = delete;
    Ahead& operator=(const Ahead&) = delete;

    // The statement that begins at `p`, or null where it is the engine's. Usually called with rising places.
    const EncodedAhead* find(const char* p);

private:
    static constexpr std::size_t chunk_size = 1 << 15;  // characters
    static constexpr std::size_t window = 8;            // chunks that may be ready before they are needed

    struct Chunk {
        std::vector<EncodedAhead> statements;
        bool ready = false;
    };

    void try_to_work(const std::stop_token& stop);
    void work(const std::stop_token& stop);
    void encode_next(PlainStatements& reader, std::unique_lock<std::mutex>& lock);
    void encode(PlainStatements& reader, std::size_t chunk, std::vector<EncodedAhead>& statements) const;
    void enter(std::size_t chunk);
    bool ends_here(const char* p, const char* line_end) const;
    const char* line_from(std::size_t offset) const;

    const Codec& codec_;
    PlainStatements own_;                           // for when the engine would have to wait
    const std::string_view text_;
    std::vector<Chunk> chunks_;
    std::vector<const char*> lines_;                // the first that begins in or behind each chunk; and the text's end
    std::size_t current_ = 0, next_statement_ = 0;      // the engine's
    bool entered_ = false;

    std::mutex mutex_;
    std::condition_variable_any changed_;
    std::size_t next_ = 0;             // the first chunk that nobody has begun
    std::size_t needed_ = 0;           // the one the engine is in
    std::vector<std::vector<EncodedAhead>> spare_;  // memory of chunks that are done with
    std::vector<std::jthread> threads_;
};

}  // namespace isaforge::assembler
