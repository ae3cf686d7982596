export module tensorplay.storage:access;

export namespace tensorplay {

/// What may be done with the bytes of a storage: Boost.Interprocess's modes of a mapped region.
enum class access {
  read_only,      ///< a store would be a fault; the file needs no right beyond reading
  read_write,     ///< stores reach the file and every other shared mapping of it; heap memory too is read_write
  copy_on_write,  ///< stores stay in this storage
};

/// How the pages of a mapping are going to be used; the words of madvise.
enum class advice {
  normal,      ///< the system's default
  sequential,  ///< read ahead far, drop behind
  random,      ///< read no page that is not asked for
  will_need,   ///< start to read now
  dont_need,   ///< give the pages back; the file keeps their content
};

}  // namespace tensorplay
