/**
 * The commands of the first upload in each language, to be pasted as they are. They take the key from a variable, so no file has the key.
 * With `READ_KEY`, the history of the shell does not have it either.
 */

export interface Place {
  /** The origin of the API, as in https://api.example.net. */
  readonly apiOrigin: string;
  /** The hostname of the domain to upload to. */
  readonly hostname: string;
}

export interface Language {
  readonly id: string;
  readonly name: string;
  /** The programs that the commands need. */
  readonly needs: string;
  readonly commands: (place: Place) => readonly Command[];
}

interface Command {
  readonly title: string;
  /** The name of the file that the text is for. Undefined: it is for a shell. */
  readonly file?: string;
  readonly text: string;
}

/** Reads a key in bash and zsh. The key is neither shown nor kept in the history. */
export const READ_KEY = 'read -rs WAYPOST_KEY && export WAYPOST_KEY';

export const exportKey = (key: string) => `export WAYPOST_KEY=${key}`;

/** The name of the sitemap in the commands. The name is used for nothing else, so a trial on a live domain replaces nothing. */
export const TRIAL_NAME = 'quick-start';

const addressOf = ({ apiOrigin, hostname }: Place) =>
  `${apiOrigin}/api/sitemap/generate?domain=${hostname}&sitemapName=${TRIAL_NAME}`;

const curl = (place: Place): Command[] => [
  { title: 'Make a list', text: "printf 'loc,lastmod\\nhttps://www.example.com/,2026-01-15\\n' > urls.csv" },
  {
    title: 'Upload it',
    text: `curl --fail-with-body -X POST \\
  "${addressOf(place)}" \\
  -H "X-API-Key: $WAYPOST_KEY" -H "Content-Type: text/csv" -T urls.csv`,
  },
  {
    title: 'The same, compressed on its way',
    text: `gzip -c urls.csv | curl --fail-with-body -X POST \\
  "${addressOf(place)}" \\
  -H "X-API-Key: $WAYPOST_KEY" -H "Content-Type: text/csv" -H "Content-Encoding: gzip" -T -`,
  },
];

const python = (place: Place): Command[] => [
  {
    title: 'Save this as upload.py',
    file: 'upload.py',
    text: `import gzip, json, os, tempfile, urllib.error, urllib.request

# From a database, a file, anything: it never stands in memory as a whole.
entries = ({"loc": f"https://www.example.com/{n}"} for n in range(1, 1001))

with tempfile.TemporaryFile() as file:
    with gzip.open(file, "wt", compresslevel=1, encoding="utf-8") as lines:
        lines.writelines(json.dumps(entry) + "\\n" for entry in entries)
    file.seek(0)
    request = urllib.request.Request(
        "${addressOf(place)}",
        file,
        {
            "X-API-Key": os.environ["WAYPOST_KEY"],
            "Content-Type": "application/x-ndjson",
            "Content-Encoding": "gzip",
        },
    )
    try:
        print(urllib.request.urlopen(request).read().decode())
    except urllib.error.HTTPError as error:
        raise SystemExit(error.read().decode())`,
  },
  { title: 'Run it', text: 'python3 upload.py' },
];

const node = (place: Place): Command[] => [
  {
    title: 'Save this as upload.mjs',
    file: 'upload.mjs',
    text: `// From a database, a file, anything: it never stands in memory as a whole.
async function* lines() {
  for (let n = 1; n <= 1000; n++) yield JSON.stringify({ loc: \`https://www.example.com/\${n}\` }) + '\\n';
}

const answer = await fetch('${addressOf(place)}', {
  method: 'POST',
  headers: { 'X-API-Key': process.env.WAYPOST_KEY, 'Content-Type': 'application/x-ndjson' },
  body: ReadableStream.from(lines()).pipeThrough(new TextEncoderStream()),
  duplex: 'half',
});
console.log(await answer.text());
if (!answer.ok) process.exitCode = 1;`,
  },
  { title: 'Run it', text: 'node upload.mjs' },
];

const client = ({ apiOrigin, hostname }: Place): Command[] => [
  {
    title: 'Install it. Your operator has the file',
    text: 'npm install --global ./waypost-0.1.0.tgz',
  },
  {
    title: 'Say where, and who you are',
    text: `export WAYPOST_URL=${apiOrigin} WAYPOST_API_KEY="$WAYPOST_KEY"`,
  },
  { title: 'Make a list', text: "printf 'loc,lastmod\\nhttps://www.example.com/,2026-01-15\\n' > urls.csv" },
  {
    title: 'Check it, without publishing',
    text: `waypost upload urls.csv --domain ${hostname} --name ${TRIAL_NAME} --dry-run`,
  },
  { title: 'Upload it', text: `waypost upload urls.csv --domain ${hostname} --name ${TRIAL_NAME}` },
];

export const LANGUAGES: readonly Language[] = [
  { id: 'curl', name: 'curl', needs: 'A shell and curl 7.76 or newer.', commands: curl },
  { id: 'python', name: 'Python', needs: 'Python 3.8 or newer, and nothing else.', commands: python },
  { id: 'node', name: 'Node', needs: 'Node 20 or newer, and nothing else.', commands: node },
  {
    id: 'client',
    name: 'waypost',
    needs:
      'The command line of Waypost tries again by itself, and shows its progress. It needs Node 20 or newer.',
    commands: client,
  },
];
