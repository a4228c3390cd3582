/** Returned instead of a position: the kernel does not recognise this. At 0 there is static data and never JSON. */
export const NOT_PLAIN: i32 = 0;
