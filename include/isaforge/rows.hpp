// A list whose elements are there, or are made when somebody first asks for one: a model that comes from packed bytes has some
// thousand rows, of which most programs need a few. Nobody sees the difference but by the time that it takes.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <new>
#include <utility>
#include <vector>

namespace isaforge {

// Any number of threads may look at it, as at a vector. Copies have the elements that are made later in common.
template <class T>
class Rows {
public:
    // Gives element `index` to `out`, which is as T makes itself. Called once for each.
    using Make = std::function<void(std::size_t index, T& out)>;

    Rows() = default;
    Rows(std::size_t size, Make make) : later_(size == 0 ? nullptr : std::make_shared<Later>(size, std::move(make))) {}

    std::size_t size() const { return later_ ? later_->size : list_.size(); }
    bool empty() const { return size() == 0; }
    const T& operator[](std::size_t index) const { return later_ ? later_->at(index) : list_[index]; }
    const T& front() const { return (*this)[0]; }
    const T& back() const { return (*this)[size() - 1]; }
    // All of them are made before the first is seen.
    const T* begin() const { return later_ ? later_->all() : list_.data(); }
    const T* end() const { return begin() + size(); }
    // The number of an element that is one of these.
    std::size_t index_of(const T& element) const {
        return static_cast<std::size_t>(&element - (later_ ? later_->data() : list_.data()));
    }

    // While nobody else looks.
    void push_back(T element) { list().push_back(std::move(element)); }
    T& operator[](std::size_t index) { return list()[index]; }
    T& back() { return list().back(); }
    T* begin() { return list().data(); }
    T* end() { return list().data() + list().size(); }

private:
    class Later {
    public:
        Later(std::size_t count, Make make)
            : size(count),
              elements_(static_cast<T*>(::operator new (count * sizeof(T), std::align_val_t{alignof(T)}))),
              made_(std::make_unique<std::atomic<bool>[]>(count)),
              make_(std::move(make)) {}
        ~Later() {
            for (std::size_t i = 0; i < size; ++i)
                if (made_[i].load(std::memory_order_relaxed)) elements_[i].~T();
            ::operator delete (elements_, std::align_val_t{alignof(T)});
        }
        Later(const Later&) = delete;
        Later& operator=(const Later&) = delete;

        const T* data() const { return elements_; }
        const T& at(std::size_t index) {
            if (!made_[index].load(std::memory_order_acquire)) make(index);
            return elements_[index];
        }
        const T* all() {
            if (whole_.load(std::memory_order_acquire)) return elements_;
            for (std::size_t i = 0; i < size; ++i) at(i);
            whole_.store(true, std::memory_order_release);
            return elements_;
        }

        const std::size_t size;

    private:
        void make(std::size_t index) {
            const std::lock_guard lock(mutex_);
            if (made_[index].load(std::memory_order_relaxed)) return;
            T element{};
            make_(index, element);
            ::new (static_cast<void*>(elements_ + index)) T(std::move(element));
            made_[index].store(true, std::memory_order_release);
        }

        T* const elements_;  // where they lie, one beside the other, once they are made
        const std::unique_ptr<std::atomic<bool>[]> made_;
        std::atomic<bool> whole_ = false;
        std::mutex mutex_;
        const Make make_;
    };

    std::vector<T>& list() {
        if (later_) {
            list_.assign(later_->all(), later_->all() + later_->size);
            later_ = nullptr;
        }
        return list_;
    }

    std::vector<T> list_;
    std::shared_ptr<Later> later_;  // null: they are in the list
};

}  // namespace isaforge
