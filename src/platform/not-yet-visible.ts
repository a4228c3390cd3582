/** A change is committed, and what shows it could not be written. It becomes visible by itself, as soon as that can be. */
export class NotYetVisible extends Error {
  override readonly name = 'NotYetVisible';
}
