import { chai } from "vitest";

// Before each test file. An assertion behind a proxy, which tells of misspelt properties, takes
// twice as long, and there are hundreds of thousands; the compiler tells of them as well.
chai.config.useProxy = false;
