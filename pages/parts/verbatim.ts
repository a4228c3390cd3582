/** Attributes of a field whose text stays as it is typed: a name or an address, which no browser completes or corrects. */
export const VERBATIM = { autocomplete: 'off', autocapitalize: 'none', spellcheck: false } as const;
