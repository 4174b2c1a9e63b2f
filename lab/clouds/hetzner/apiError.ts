/** An error in the API's form: `{error: {code, message, details}}`. */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly details: unknown = null,
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    super(message);
  }
}

export const notFound = (what: string): ApiError => new ApiError(404, "not_found", `${what} not found`);

/** Returns the error for an invalid field of a request. */
export const invalidInput = (field: string, message: string): ApiError =>
  new ApiError(422, "invalid_input", `invalid input in field '${field}'`, {
    fields: [{ name: field, messages: [message] }],
  });

export const notUnique = (what: string): ApiError =>
  new ApiError(409, "uniqueness_error", `${what} is already used`, { fields: [{ name: "name" }] });

export const noCapacity = (): ApiError => new ApiError(412, "resource_unavailable", "error during placement");

// Default codes and messages for a status that a test requests without them.
const codes: Readonly<Record<number, readonly [code: string, message: string]>> = {
  400: ["json_error", "invalid JSON in request"],
  401: ["unauthorized", "unable to authenticate"],
  403: ["forbidden", "insufficient permissions for this request"],
  404: ["not_found", "resource not found"],
  409: ["conflict", "the resource has changed during the request, please retry"],
  412: ["resource_unavailable", "error during placement"],
  422: ["invalid_input", "invalid input"],
  423: ["locked", "resource is locked by another action"],
  429: ["rate_limit_exceeded", "limit of 3600 requests per hour reached"],
  500: ["server_error", "an unexpected error occurred"],
  502: ["bad_gateway", "the request could not be answered by the API backend, please retry"],
  503: ["unavailable", "a service or product is currently not available"],
  504: ["timeout", "the request could not be answered in time, please retry"],
};

/** Returns the error that usually has a status. */
export function usualError(status: number, code?: string, message?: string, retryAfter?: number): ApiError {
  const [usualCode, usualMessage] = codes[status] ?? ["service_error", "the service failed"];
  const headers: Record<string, string> = retryAfter === undefined ? {} : { "retry-after": String(retryAfter) };
  return new ApiError(status, code ?? usualCode, message ?? usualMessage, null, headers);
}
