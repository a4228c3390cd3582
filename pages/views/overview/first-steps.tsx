/** The steps to the first sitemap, for an account without a domain. */
import { ImportFirst } from './import-first.tsx';

export function FirstSteps() {
  return (
    <section class="card" aria-labelledby="first-steps">
      <h2 id="first-steps">Three steps to your first sitemap</h2>
      <ImportFirst />
      <ol class="first-steps">
        <li>
          <h3>Add a domain</h3>
          <p>It is a hostname for your sitemaps alone, such as sitemaps.example.com.</p>
        </li>
        <li>
          <h3>Create one DNS record</h3>
          <p>It points the hostname at Waypost. HTTPS comes by itself.</p>
        </li>
        <li>
          <h3>Upload your URLs</h3>
          <p>
            Import the sitemap that you have, drop an export of your shop, crawler or database, or send it
            from your pipeline.
          </p>
        </li>
      </ol>
      <p>
        <a class="button" href="/dashboard/domains/new">
          Add your first domain
        </a>
      </p>
    </section>
  );
}
