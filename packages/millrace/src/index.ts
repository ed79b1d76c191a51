export { run } from "@millrace/server";
