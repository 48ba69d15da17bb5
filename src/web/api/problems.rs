//! What the description says of all requests alike, so that no handler does: the answers when something is wrong with one, the
//! meaning of every status, and whether there has to be a body.

use utoipa::openapi::path::Operation;
use utoipa::openapi::request_body::RequestBody;
use utoipa::openapi::schema::Schema;
use utoipa::openapi::{Components, Content, ContentBuilder, OpenApi, Ref, RefOr, Required, ResponseBuilder};

/// What the statuses mean.
const MEANINGS: [(&str, &str); 10] = [
    ("200", "What was asked for; of a stream, what its events hold."),
    ("400", "The request makes no sense: a text, a name or a number in it, or it has no Host."),
    ("401", "The server has a token, and the client has not shown it: `Authorization: Bearer TOKEN`."),
    ("403", "A page of another site, or another name than this machine's."),
    ("404", "There is no such game, or no longer."),
    ("408", "The body did not come to its end in time."),
    ("409", "The rules forbid it, or the state of the game: also when that changes before the answer is found."),
    ("413", "The body is too large."),
    ("429", "Too many games, or too many searches that wait; `retry-after` says when to try again."),
    ("500", "A fault of the server."),
];

/// Statuses that any request can be answered with.
const ALWAYS: [&str; 4] = ["400", "401", "403", "500"];

/// Statuses of requests with a body.
const WITH_BODY: [&str; 2] = ["408", "413"];

/// Adds to each operation what it shares with others, and the meaning of every status.
pub(super) fn describe(mut description: OpenApi) -> OpenApi {
    let types = description.components.take().unwrap_or_default();
    for (path, item) in &mut description.paths.paths {
        let operations = [&mut item.get, &mut item.post, &mut item.delete];
        for operation in operations.into_iter().flatten() {
            let of_session: &[&str] = if path.contains("{id}") { &["404"] } else { &[] };
            let of_body: &[&str] = if operation.request_body.is_some() { &WITH_BODY } else { &[] };
            ALWAYS.iter().chain(of_session).chain(of_body).for_each(|status| add(operation, status));
            explain(operation);
            if let Some(RefOr::T(body)) = &mut operation.request_body {
                body.required = Some(if has_required_fields(body, &types) { Required::True } else { Required::False });
            }
        }
    }
    description.components = Some(types);
    description
}

/// A body that is not there is an empty object (see [`Sent`](crate::web::intake::Sent)), which does where no field has to be.
fn has_required_fields(body: &RequestBody, types: &Components) -> bool {
    let named = |content: &RefOr<Content>| {
        let RefOr::T(content) = content else { return None };
        let Some(RefOr::Ref(reference)) = &content.schema else { return None };
        types.schemas.get(reference.ref_location.rsplit('/').next()?)
    };
    let is_plain =
        |schema: &RefOr<Schema>| matches!(schema, RefOr::T(Schema::Object(object)) if object.required.is_empty());
    !body.content.values().all(|content| named(content).is_some_and(is_plain))
}

fn add(operation: &mut Operation, status: &str) {
    let content = || ContentBuilder::new().schema(Some(Ref::from_schema_name("ProblemJson"))).build();
    let answers = &mut operation.responses.responses;
    let answer = || RefOr::T(ResponseBuilder::new().content("application/json", content()).build());
    answers.entry(status.to_string()).or_insert_with(answer);
}

fn explain(operation: &mut Operation) {
    for (status, answer) in &mut operation.responses.responses {
        let meaning = MEANINGS.iter().find(|(known, _)| known == status);
        if let (RefOr::T(answer), Some((_, meaning))) = (answer, meaning) {
            answer.description = meaning.to_string();
        }
    }
}
