/** Instead of a position: here stands nothing that the kernel recognises. Static data is there, and no JSON. */
export const NOT_PLAIN: i32 = 0;
