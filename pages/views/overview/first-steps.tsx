/** For an account without a domain: the way to the first sitemap. */
export function FirstSteps() {
  return (
    <section class="card" aria-labelledby="first-steps">
      <h2 id="first-steps">Three steps to your first sitemap</h2>
      <ol class="steps">
        <li>
          <strong>Add a domain.</strong> It is a hostname for your sitemaps, such as sitemaps.example.com.
        </li>
        <li>
          <strong>Point its DNS at Waypost.</strong> You create one CNAME record. The certificate comes by
          itself.
        </li>
        <li>
          <strong>Upload your URLs.</strong> Drop a file here, or send it from your pipeline.
        </li>
      </ol>
      <p>
        <a class="button primary" href="/dashboard/domains/new">
          Add your first domain
        </a>
      </p>
    </section>
  );
}
