/** Explains to people who do not program how their list of pages gets to crawlers. */
import { Card } from '../parts/card.tsx';
import { Page } from '../parts/page.tsx';

export function HelpPage() {
  return (
    <Page title="How it works">
      <p class="lead">
        You give Waypost a list of the pages of your website. Waypost makes a sitemap of it, and crawlers of
        search engines read it at a hostname of yours.
      </p>
      <Card title="Get a list of your pages">
        <div class="lines">
          <h3>WordPress, Shopify, and most shops</h3>
          <p>
            They have a sitemap already. <a href="/dashboard/upload">On Upload</a>, write the name of your
            website below “Or import from an address”. Do not take their export of products: it has no
            addresses of pages.
          </p>
          <h3>Screaming Frog</h3>
          <p>
            Choose “Internal” and “HTML”, press Export, and save it as CSV. Waypost proposes to leave out what
            search engines may not index.
          </p>
          <h3>Excel and Google Sheets</h3>
          <p>
            One row for each page, one column for its address, and a first row with the names of the columns.
            In Excel: File, Save As, “CSV UTF-8”. In Google Sheets: File, Download, “Comma-separated values”.
          </p>
        </div>
      </Card>
      <Card title="Which files go">
        <p>
          Tables as CSV, lists with an address in each line, XML sitemaps, JSON and Parquet. They may be
          compressed as .gz, .zst or .br. Excel workbooks (.xlsx), ZIP files and PDFs do not go.
        </p>
        <p>
          Each address begins with https:// or http://. A date of the last change is welcome, and not
          necessary. You see the first rows as they will be published before you send anything.
        </p>
      </Card>
      <Card title="Add one DNS record">
        <ol class="numbered">
          <li>
            <a href="/dashboard/domains/new">Add a domain</a> for your sitemaps alone, such as
            sitemaps.example.com. It is not the address of your website, which stays as it is.
          </li>
          <li>
            Sign in where you bought the domain, or where its DNS is. The page of your new domain names the
            provider if we know it.
          </li>
          <li>
            Make one CNAME record there. The page of the domain has its name and its value, with a button to
            copy each.
          </li>
          <li>Wait some minutes. We look for the record by ourselves. HTTPS comes after that, by itself.</li>
        </ol>
      </Card>
      <Card title="What “published” means">
        <p>
          Crawlers get the new list from that moment, and the whole of it. Until then they get the one before.
          If one row has a mistake, nothing is published, unless you choose to leave such rows out. An upload
          that would remove many pages waits a day for your yes.
        </p>
        <p>Earlier versions are kept. The page of a sitemap goes back to one of them.</p>
      </Card>
      <Card title="Tell Google">
        <ol class="numbered">
          <li>
            Add a line to the robots.txt of your website: the page of your domain shows it after the first
            upload. With it, search engines believe a sitemap of another host, and find it.
          </li>
          <li>
            Open your domain, and press “Google Search Console”. Google asks you once to prove that the domain
            is yours. Then paste the “Address to submit” there.
          </li>
        </ol>
        <p>
          Google decides when it comes, often after some days. The page of the domain shows the first visit.
        </p>
      </Card>
    </Page>
  );
}
