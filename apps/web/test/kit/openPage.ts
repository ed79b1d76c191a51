import type { Browser, BrowserContext, BrowserContextOptions, Page } from "playwright-core";

/** A page with all that it complained of. */
export interface WatchedPage {
  readonly page: Page;
  /** Errors of the console, exceptions, and what the content policy refused. */
  readonly complaints: ReadonlyArray<string>;
  readonly close: () => Promise<void>;
}

const PATIENCE_MS = 100_000;

/** Opens a page of its own, with nothing kept from others. */
export async function openPage(
  browser: Browser,
  options: BrowserContextOptions = {},
): Promise<WatchedPage> {
  const context = await browser.newContext({
    // The bundled browser knows no other: without them dates and charts fail.
    ...{ locale: "en-US", timezoneId: "UTC", viewport: { width: 1_280, height: 900 } },
    ...options,
  });
  // A test has a limit of its own: what stands for half a minute on a busy machine is no fault.
  context.setDefaultTimeout(PATIENCE_MS);
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on("console", (message) => {
    if (message.type() !== "error") return;
    const text = `${message.text()} ${message.location().url}`;
    // A service that follows late on a busy machine says so with this status.
    if (!/ 503 .*\/health\/ready/u.test(text)) complaints.push(text);
  });
  page.on("pageerror", (error) => complaints.push(error.message));
  await page.addInitScript(TELL_REFUSALS);
  return { page, complaints, close: () => closeContext(context) };
}

/** Closes all pages of a context; what answers for the service may still be at work. */
export async function closeContext(context: BrowserContext): Promise<void> {
  await Promise.all(context.pages().map((page) => page.unrouteAll({ behavior: "ignoreErrors" })));
  await context.close();
}

/** Of the page, which has other globals than this. */
const TELL_REFUSALS = `addEventListener("securitypolicyviolation", (event) => {
  console.error("refused by the policy: " + event.violatedDirective + " " + event.blockedURI);
})`;
