/** Types of the page's script, which is checked by use: browsers run it as it is. */
export function keyName(event: { key: string; code: string }): string | undefined;
