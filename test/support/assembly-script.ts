/** Sources of WebAssembly. They look like TypeScript, but are AssemblyScript, which Node cannot read. */
const FOLDERS = /kernel\/[^/]+\.ts$/;

export function isAssemblyScript(file: string): boolean {
  return FOLDERS.test(file);
}
