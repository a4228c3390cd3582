/** Bounds what the elements of XML cost its parser, `saxes`, when strangers choose the text. */

/** For each element, the parser looks for the namespace in all elements around it. */
export const MAX_ELEMENT_DEPTH = 32;
/** The parser keeps all attributes of an element, some 300 bytes each, and handles them together at the end of the tag. */
const MAX_ATTRIBUTES = 1000;

interface Parser {
  on(name: 'opentagstart' | 'attribute', handler: () => void): void;
}

/** Throws the error of `refuse` at an element with too many attributes. Takes the handlers of two events of the parser. */
export function boundAttributes(parser: Parser, refuse: (problem: string) => Error): void {
  let count = 0;
  parser.on('opentagstart', () => {
    count = 0;
  });
  parser.on('attribute', () => {
    count += 1;
    if (count > MAX_ATTRIBUTES) throw refuse(`an element with more than ${MAX_ATTRIBUTES} attributes`);
  });
}
