/** A URL of a page. Its host is paler than its path. */
export function Url({ url }: { readonly url: string }) {
  const [, host = '', path = url] = /^(https?:\/\/[^/?#]+)(.*)$/is.exec(url) ?? [];
  return (
    <span class="url">
      <span class="quiet">{host}</span>
      {path}
    </span>
  );
}
