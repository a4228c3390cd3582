/** A change is committed, but the write of its site failed. A sweep repeats the write, so the change becomes visible later. */
export class NotYetVisible extends Error {
  override readonly name = 'NotYetVisible';
}
