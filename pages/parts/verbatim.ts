/** Attributes of a field for a name or an address. The browser neither completes nor corrects its text. */
export const VERBATIM = { autocomplete: 'off', autocapitalize: 'none', spellcheck: false } as const;
