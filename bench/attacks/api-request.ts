/** A request to the API as raw HTTP. The attacker replaces RANDOM in `key`. */
export function apiRequest(path: string, key: string): string {
  return `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nX-API-Key: ${key}\r\n\r\n`;
}
