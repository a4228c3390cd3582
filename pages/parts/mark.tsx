/** The sign of Waypost: a post with two boards. */
export function Mark() {
  return (
    <svg class="mark" viewBox="0 0 24 24" aria-hidden="true">
      <rect width="24" height="24" rx="5" class="mark-ground" />
      <path d="M11 4h2v2h5l2 2-2 2h-5v2h-2v-2H6V6h5zM11 12H6l-2 2 2 2h5v4h2v-4h5v-4h-5z" class="mark-sign" />
    </svg>
  );
}
