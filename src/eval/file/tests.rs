use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

use super::*;
use crate::eval::embedding::Embedding;
use crate::eval::embedding::tests::{extreme_embedding, random_embedding};
use crate::eval::error_model::{ErrorModel, ErrorModels};
use crate::eval::model::tests::random_model;
use crate::eval::pattern::folded_count;
use crate::eval::regions::rows_by_moves;

fn with_embedding(embedding: Embedding) -> Model {
    Model { embedding: Some(embedding), ..random_model(5) }
}

#[test]
fn bytes_round_trip() {
    let mut extreme = Model::zero();
    extreme.evaluation.phases = vec![vec![i16::MIN; folded_count()], vec![i16::MAX; folded_count()]];
    extreme.evaluation.phase_of[0] = 1;
    let mut many = random_model(1);
    many.evaluation.phases = vec![many.evaluation.phases[1].clone(); 13];
    many.evaluation.phase_of = std::array::from_fn(|empties| (empties / 5) as u8);
    let midgame = ErrorModel { constant: 1.5, by_probe: -0.1, by_depth: 0.05, by_empties: -0.02 };
    many.errors = ErrorModels { midgame, endgame: ErrorModel { by_depth: 0.0, ..midgame } };
    let embeddings = [random_embedding(1, 100), random_embedding(2, 127), extreme_embedding(-1)];
    for model in [Model::zero(), random_model(1), extreme, many].into_iter().chain(embeddings.map(with_embedding)) {
        assert!(Model::from_bytes(&model.to_bytes()).unwrap() == model);
    }
}

#[test]
fn bad_bytes_are_named() {
    let good = Model::zero().to_bytes();
    let message = |bytes: &[u8]| Model::from_bytes(bytes).unwrap_err().to_string();
    assert!(message(b"").contains("not an Outflank weights file"));
    assert!(message(b"EVALxxxxxxxxxxxxxxxxxxxxxxxxxxxxx").contains("not an Outflank weights file"));
    assert_eq!(message(&good[..20]), "weights file of 20 bytes, its header says 32");
    let end = good.len();
    assert_eq!(message(&good[..end - 1]), format!("weights file of {} bytes, its header says {end}", end - 1));
    assert!(message(&[&good[..], b"x"].concat()).contains(&format!("its header says {end}")));
    let with = |at: usize, value: u8| {
        let mut bytes = good.clone();
        bytes[at] = value;
        bytes
    };
    for old in [1, 2, 3] {
        let expected = format!("weights file of format {old}, this program reads format 4: train them anew");
        assert_eq!(message(&with(8, old)), expected);
    }
    assert_eq!(message(&with(12, 7)), "weights of model kind 7, this program has kinds 1 to 6");
    assert!(message(&with(24, good[24] ^ 1)).contains("checksum"));
    assert!(message(&with(HEADER + 3, good[HEADER + 3] ^ 1)).contains("checksum"));
}

/// A file with this body and a header that fits it.
fn sealed(kind: u32, sections: usize, body: &[u8]) -> Vec<u8> {
    let header = [VERSION, kind, body.len() as u32, sections as u32, crc32(body), 0];
    [&MAGIC[..], &header.map(u32::to_le_bytes).concat(), body].concat()
}

/// The bytes of a file of the layout of `kind`, as earlier programs wrote them, of a model whose other columns and rows are zero.
fn old_bytes(model: &Model, kind: u32) -> Vec<u8> {
    let layout = layout_of(kind).unwrap();
    let width = layout.width;
    let mut sections = sections::write(model);
    let from = sections.len() - 2 * WIDTH / sections::COLUMNS_A_GROUP;
    for pair in sections.split_off(from).chunks_exact(2).take(layout.groups()) {
        let columns = sections::joined(pair[0].clone(), &pair[1]);
        let rows = columns.chunks(row_count()).flat_map(|column| &column[..layout.rows]);
        let columns: Vec<u8> = rows.copied().collect();
        if layout.halves { sections.extend(sections::halves(&columns)) } else { sections.push(columns) }
    }
    let first = &mut sections[0];
    let heads = sections::first_len(LINEAR);
    let head_len = (first.len() - heads) / EMPTIES;
    // biases and weights are 16-bit numbers, the rest of a head follows them
    let kept = |at: usize| at < 2 * width || (2 * WIDTH..2 * (WIDTH + width)).contains(&at) || at >= 4 * WIDTH;
    let mut at = 0..;
    first.retain(|_| at.next().is_some_and(|at| at < heads || kept((at - heads) % head_len)));
    let packed: Vec<Vec<u8>> = sections.iter().map(|section| deflate(section)).collect();
    let lens = packed.iter().zip(&sections).flat_map(|(packed, section)| [packed.len() as u32, section.len() as u32]);
    let mut body: Vec<u8> = lens.flat_map(u32::to_le_bytes).collect();
    packed.iter().for_each(|packed| body.extend_from_slice(packed));
    sealed(kind, sections.len(), &body)
}

/// A model without rows for regions, as earlier programs had them.
fn without_regions(mut embedding: Embedding) -> Model {
    embedding.rows[folded_count()..].fill([0; WIDTH]);
    with_embedding(embedding)
}

#[test]
fn narrow_rows_are_read_with_zeros_behind_them() {
    let mut embedding = random_embedding(3, 100);
    embedding.rows.iter_mut().for_each(|row| row[32..].fill(0));
    for head in &mut embedding.heads {
        head.bias[32..].fill(0);
        head.weights[32..].fill(0);
    }
    let model = without_regions(embedding);
    assert!(Model::from_bytes(&old_bytes(&model, NARROW)).unwrap() == model);
}

#[test]
fn rows_of_whole_numbers_are_read() {
    let model = without_regions(random_embedding(4, 127));
    assert!(Model::from_bytes(&old_bytes(&model, WHOLE)).unwrap() == model);
}

#[test]
fn rows_in_halves_without_regions_are_read() {
    let model = without_regions(random_embedding(5, 127));
    assert!(Model::from_bytes(&old_bytes(&model, HALVES)).unwrap() == model);
    let unpacked = Packed::trusted(&old_bytes(&model, HALVES)).map(|packed| {
        let columns: Result<Vec<_>, _> = (0..packed.group_count()).map(|group| packed.columns(group)).collect();
        packed.rows(&columns.unwrap()).unwrap()
    });
    assert!(unpacked.unwrap() == model.embedding.unwrap().rows);
}

#[test]
fn regions_with_the_same_moves_get_the_row_of_those_moves() {
    let full = random_embedding(6, 127);
    let read = Model::from_bytes(&old_bytes(&with_embedding(full.clone()), MOVES)).unwrap().embedding.unwrap();
    let (fillings, regions) = read.rows.split_at(folded_count());
    assert!(fillings == &full.rows[..folded_count()] && read.heads == full.heads);
    for (row, of_moves) in regions.iter().zip(rows_by_moves()) {
        let expected = of_moves.map_or([0; WIDTH], |place| full.rows[folded_count() + place as usize]);
        assert_eq!(*row, expected, "{of_moves:?}");
    }
}

#[test]
fn what_hardly_packs_is_kept_as_it_is() {
    let mut rng = StdRng::seed_from_u64(1);
    let noise: Vec<u8> = (0..1 << 12).map(|_| rng.random()).collect();
    let packed = deflate(&noise);
    assert!(packed.windows(noise.len()).any(|part| part == noise));
    assert_eq!(inflate((&packed, noise.len())).unwrap(), noise);
    assert!(deflate(&[7; 1 << 12]).len() < 100);
}

/// A file whose checksum is right although `change` was made to its body.
fn resealed(model: &Model, change: impl FnOnce(&mut [u8])) -> String {
    let mut bytes = model.to_bytes();
    change(&mut bytes[HEADER..]);
    let crc = crc32(&bytes[HEADER..]);
    bytes[24..28].copy_from_slice(&crc.to_le_bytes());
    Model::from_bytes(&bytes).unwrap_err().to_string()
}

#[test]
fn files_that_are_wrong_on_purpose_are_refused() {
    let model = Model::zero();
    let wrong_size = WRONG_SIZE.to_string();
    assert_eq!(resealed(&model, |body| body[0] ^= 1), wrong_size);
    assert_eq!(resealed(&model, |body| body[3] = 0x7F), wrong_size);
    assert_eq!(resealed(&model, |body| body[7] = 0xFF), wrong_size, "asks for too much memory");
    assert_eq!(resealed(&model, |body| body[4] ^= 1), wrong_size);
    // the first stream begins with a kind of block that there is not
    assert!(resealed(&model, |body| body[2 * ENTRY] = 7).contains("inflate"));
    let mut bytes = model.to_bytes();
    for sections in [0u32, 1, 3, u32::MAX] {
        bytes[20..24].copy_from_slice(&sections.to_le_bytes());
        assert!(Model::from_bytes(&bytes).is_err(), "{sections} sections");
    }
    // an embedding that could overflow, written by someone who did not ask whether it is valid
    let good = with_embedding(random_embedding(1, 1));
    let read = |model: &Model, kind| {
        let sections = sections::write(model);
        First::read(&sections[0], kind).map(|first| first.with(sections[1..].to_vec()))
    };
    assert!(read(&good, EMBEDDING).unwrap().unwrap() == good);
    assert!(read(&good, LINEAR).is_none(), "heads are left over");
    assert!(read(&Model::zero(), EMBEDDING).is_none(), "heads are missing");
    let mut large = good.clone();
    large.embedding.as_mut().unwrap().heads[7].bias[3] = i16::MAX;
    assert!(read(&large, EMBEDDING).unwrap().is_err());
    let mut unlikely = good;
    unlikely.errors.endgame.by_probe = f32::NAN;
    assert!(read(&unlikely, EMBEDDING).is_none());
}

/// A file of sections that all say they inflate to `len` bytes, with the checksum right.
fn bomb(sections: usize, len: u32) -> Vec<u8> {
    let zeros = deflate(&vec![0; 1 << 20]);
    let mut body = Vec::new();
    for _ in 0..sections {
        body.extend_from_slice(&(zeros.len() as u32).to_le_bytes());
        body.extend_from_slice(&len.to_le_bytes());
    }
    (0..sections).for_each(|_| body.extend_from_slice(&zeros));
    sealed(EMBEDDING, sections, &body)
}

#[test]
fn small_files_do_not_inflate_to_large_ones() {
    for (sections, len) in [(4000, 1 << 20), (4000, 1 << 23), (60, 1 << 20), (20, u32::MAX), (1, 1 << 20)] {
        let message = Model::from_bytes(&bomb(sections, len)).unwrap_err().to_string();
        assert_eq!(message, WRONG_SIZE.to_string());
    }
    // the lengths are those of a model, what is packed is more
    let len = sections::first_len(EMBEDDING);
    assert!(Model::from_bytes(&bomb(20, len as u32)).unwrap_err().to_string().contains("inflate"));
}

#[test]
fn no_more_of_a_file_is_read_than_its_header_says() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("weights.bin");
    let good = Model::zero().to_bytes();
    std::fs::write(&path, [&good[..], &[7; 5000]].concat()).unwrap();
    assert_eq!(read_file(&path).unwrap().len(), good.len() + 1);
    let file = std::fs::File::create(&path).unwrap();
    // a hole: an endless foreign file costs nothing
    file.set_len(1 << 40).unwrap();
    assert!(matches!(read_file(&path), Err(WeightsError::Foreign)));
    let mut long = good[..HEADER].to_vec();
    long[16..20].copy_from_slice(&u32::MAX.to_le_bytes());
    std::fs::write(&path, long).unwrap();
    assert_eq!(read_file(&path).unwrap_err().to_string(), WRONG_SIZE.to_string());
    std::fs::write(&path, &good).unwrap();
    assert!(Model::load(&path).unwrap() == Model::zero());
}

#[test]
fn no_flipped_bit_goes_unnoticed() {
    let good = Model::zero().to_bytes();
    for at in 0..good.len() {
        let mut bytes = good.clone();
        bytes[at] ^= 0x10;
        assert!(Model::from_bytes(&bytes).is_err(), "byte {at}");
    }
}

/// Of a file with all kinds of sections: each byte of the header, and here and there in the list of sections, the first section and the
/// others. Where the checksum is put right, the file is refused, or is one of other weights.
#[test]
fn no_changed_byte_does_harm() {
    let good = with_embedding(random_embedding(7, 127)).to_bytes();
    let mut rng = StdRng::seed_from_u64(7);
    let head = HEADER + (1 + 1 + 2 * WIDTH / sections::COLUMNS_A_GROUP) * ENTRY + 600;
    let rest: Vec<usize> = (0..80).map(|_| rng.random_range(head..good.len())).collect();
    let mut bytes = good.clone();
    let mut sealed = 0;
    for (i, at) in (0..HEADER).chain((HEADER..head).step_by(7)).chain(rest).enumerate() {
        bytes[at] ^= rng.random_range(1..=u8::MAX);
        let Err(error) = Model::from_bytes(&bytes) else { panic!("byte {at} says nothing") };
        let message = error.to_string();
        let known = ["weights file", "not an Outflank weights file", "weights of model kind", "damaged weights file: "];
        assert!(known.iter().any(|known| message.starts_with(known)), "byte {at}: {message}");
        if at >= HEADER && i % 8 == 0 {
            let crc = crc32(&bytes[HEADER..]);
            bytes[24..28].copy_from_slice(&crc.to_le_bytes());
            match Model::from_bytes(&bytes) {
                Ok(model) => assert!(model.embedding.is_none_or(|embedding| embedding.is_valid()), "byte {at}"),
                Err(error) => assert!(error.to_string().starts_with("damaged weights file: it"), "byte {at}: {error}"),
            }
            sealed += 1;
        }
        bytes.copy_from_slice(&good);
    }
    assert!(sealed > 20, "{sealed}");
    // too short, whatever the header says
    for len in (0..head).step_by(7) {
        assert!(Model::from_bytes(&good[..len]).is_err(), "{len} bytes");
    }
}

#[test]
fn a_missing_file_is_named() {
    let message = Model::load(Path::new("no/such/weights.bin")).unwrap_err().to_string();
    assert!(message.starts_with("no/such/weights.bin: "), "{message}");
}

#[test]
fn jobs_keep_their_order() {
    assert_eq!(side_by_side(100, |job| job * job), (0..100).map(|job| job * job).collect::<Vec<_>>());
    assert!(side_by_side(0, |job| job).is_empty());
}
